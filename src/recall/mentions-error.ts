const longestText = 20_000
const mostWords = 60

/**
 * Whether a text quotes an error: so many words of its line stand in it in the same order that it can hardly be chance, and more of them than
 * every error has. Numbers, quotes and folders do not matter.
 */
export function mentionsError(text: string, line: string): boolean {
  const error = wordsOf(line).slice(0, mostWords)
  const said = wordsOf(text.slice(0, longestText))
  const starts = new Map<string, number[]>()
  for (const [at, word] of said.entries()) starts.set(word, [...(starts.get(word) ?? []), at])
  return error.some((word, from) => (starts.get(word) ?? []).some((at) => isQuoted(error, from, said, at)))
}

const fewestWords = 4

function isQuoted(error: readonly string[], from: number, said: readonly string[], at: number): boolean {
  let length = 0
  while (length < error.length - from && error[from + length] === said[at + length]) length++
  const run = error.slice(from, from + length)
  const telling = run.filter((word) => !common.has(word)).length
  return length >= fewestWords && telling >= 2 && run.join("").length >= 14
}

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace(/(?:[\w.@~+-]*[/\\])+(?=[\w.@+-])/g, "")
      .replace(/\d+/g, "#")
      .match(/[\p{L}#_$][\p{L}#_$.-]*/gu)
      ?.map((word) => word.replace(/[.-]+$/, "")) ?? []
  )
}

/** What errors of every kind say. */
const common = new Set(
  "a an the of to in on at for with is was are be not no and or it this that error errors err failed failure fail fails cannot can't could couldn't unable found find from by as # file line code exit status command expected received but got has have does did exist exists path directory such yet first before been you your".split(
    " ",
  ),
)
