import type { CommandPattern } from "./match-guards.ts"
import type { Program } from "./programs-in.ts"

/**
 * Whether a program is run as a pattern says: the words that are no flags in their order, the first of them where a subcommand stands, and
 * all flags wherever they stand. `rm -rf x` is `rm -r -f x`; `git -C web push` is `git push`; `git commit -m push` is not.
 */
export function matchesCommand(
  { words: wanted, unless }: CommandPattern,
  { name, words, lineWords }: Program,
): boolean {
  if (wanted[0] !== name && wanted[0] !== "*") return false
  return (
    wanted.every((word, at) => at === 0 || !isFlag(word) || hasFlag(words, word)) &&
    hasInOrder(words, wanted) &&
    unless?.some((word) => hasWord(lineWords, word)) !== true
  )
}

/** From the second of the wanted words on. */
function hasInOrder(words: readonly string[], wanted: readonly string[]): boolean {
  const next = (from: number) => wanted.findIndex((word, index) => index >= from && !isFlag(word))
  const first = next(1)
  let at = first
  for (let index = 0; index < words.length && at !== -1; index++) {
    const word = words[index] ?? ""
    if (word === "--") break
    if (isSame(word, wanted[at] ?? "")) at = next(at + 1)
    else if (at === first && !isFlag(word) && !isFlag(words[index - 1] ?? "")) return false // another subcommand
  }
  return at === -1
}

function hasFlag(words: readonly string[], flag: string): boolean {
  if (!isCluster(flag)) return words.some((word) => word === flag || word.startsWith(`${flag}=`))
  const given = words.filter(isCluster).join("")
  return Array.from(flag.slice(1)).every((letter) => given.includes(letter))
}

function hasWord(given: ReadonlySet<string>, wanted: string): boolean {
  return given.has(wanted) || Array.from(given).some((word) => isSame(word, wanted) || word.startsWith(`${wanted}=`))
}

function isFlag(word: string): boolean {
  return word.startsWith("-") && word.length > 1
}

/** `-rf`: flags of one letter each. */
function isCluster(word: string): boolean {
  return /^-[A-Za-z]{1,4}$/.test(word)
}

/** `./build/` is `build`; `HEAD:main` and `origin/main` are about `main` as well. */
function isSame(given: string, wanted: string): boolean {
  if (given === wanted) return true
  if (!given.endsWith(wanted) && !given.endsWith("/")) return false
  const plain = given.replace(/^\.\//, "").replace(/\/+$/, "")
  return plain === wanted || plain.endsWith(`:${wanted}`)
}
