import { everydayPrograms, plainPrograms, programs } from "../formats/commands/known-programs.ts"
import { splitCommand } from "../formats/commands/split-command.ts"
import { programOf, unwrapCommands } from "../formats/commands/unwrap-command.ts"
import type { CommandPattern } from "./match-guards.ts"
import { scriptOf } from "./programs-in.ts"

/** The commands that a part of a sentence names: in code, or in plain text by an unambiguous program name. */
export function commandsIn(object: string): CommandPattern[] {
  const spans = Array.from(object.matchAll(/`([^`]+)`/g), ([, code = ""]) => code)
  const flags = spans.filter((span) => /^--?[A-Za-z][\w-]*$/.test(span))
  const named = [...spans.flatMap(patternOf), ...plainCommands(object.replace(/`[^`]*`/g, " , "))]
  const patterns = named.map((words) => (flags.length === 0 ? words : [...words, ...flags]))
  const distinctive = named.length > 0 ? [] : flags.filter((flag) => flag.length > 8).map((flag) => ["*", flag])
  return [...patterns, ...distinctive]
    .filter(isTelling)
    .flatMap(alike)
    .map((words) => ({ words }))
}

/** The words of a command in code; empty if it is not a command. Placeholders (`<name>`, `…`, `$X`) are dropped. */
export function patternOf(code: string): string[][] {
  const [command = splitCommand(code)[0], ...others] = unwrapCommands(code)
  const written = command?.words ?? []
  const [words] = [...scriptOf(written), written]
  if (words === undefined || others.length > 0 || !isProgram(words)) return []
  return [[programOf(words), ...words.slice(1).map(plainWord).filter(isMeant)]]
}

function isProgram(words: readonly string[]): boolean {
  return programs.has(programOf(words)) || /^(?:\.{0,2}\/)?[\w./-]+\.(?:sh|ps1|mjs|py)$/.test(words[0] ?? "")
}

function plainWord(word: string): string {
  return word.replace(/^\.\//, "").replace(/\/+$/, "")
}

function isMeant(word: string): boolean {
  return word !== "" && word !== "--" && !/^(?:[<[{$].*|.*…|\.\.\.|\*|[A-Z_]{2,})$/.test(word)
}

/** A program in plain text, with the flags and subcommands after it: "use git push --force on …". */
function plainCommands(text: string): string[][] {
  const words = text.split(/\s+/).map((word) => word.replace(/[,.:;!?)"']+$/, "").toLowerCase())
  return words.flatMap((word, at) => {
    if (!plainPrograms.has(word)) return []
    const rest = words.slice(at + 1)
    const end = rest.findIndex((each) => !subcommands.has(each) && !/^--?[a-z]/i.test(each))
    return [[word, ...rest.slice(0, end === -1 ? undefined : end)]]
  })
}

const subcommands = new Set(
  "push commit merge rebase reset clean checkout stash cherry-pick add publish install ci run test build start audit fix exec apply destroy delete prune compose up down system login migrate deploy upload upgrade update uninstall remove link".split(
    " ",
  ),
)

/** An everyday program is specific only with more than a common subcommand. */
function isTelling(words: readonly string[]): boolean {
  const [name = "", ...rest] = words
  if (everydayPrograms.has(name))
    return rest.length > 1 || (rest.length === 1 && !everydaySubcommands.has(rest[0] ?? ""))
  return true
}

const everydaySubcommands = new Set(
  "add commit push pull status diff log show checkout fetch branch -c -m -e".split(" "),
)

/** Equivalent spellings. */
function alike(words: string[]): string[][] {
  const line = words.join(" ")
  const found = spellings.find(([spelling]) => line === spelling || line.startsWith(`${spelling} `))
  if (!found) return [words]
  const rest = words.slice(found[0].split(" ").length)
  return [words, ...found[1].map((spelling) => [...spelling.split(" "), ...rest])]
}

const spellings: [string, string[]][] = [
  ["git push --force", ["git push -f"]],
  ["git push -f", ["git push --force"]],
  ["git commit --no-verify", ["git commit -n"]],
  ["rm -rf", ["rm --recursive --force"]],
  ["npm install", ["npm i"]],
  ["npm test", ["npm t", "npm run test"]],
  ["docker compose", ["docker-compose"]],
  ["docker-compose", ["docker compose"]],
  ["pip install", ["pip3 install"]],
]
