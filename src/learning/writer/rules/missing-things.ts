import { programOf, splitCommand } from "../../../formats/shell-command.ts"
import type { EpisodeEvent } from "../../../memories/episode.ts"
import { isSuccess } from "../../episodes/episode-stats.ts"
import { textOf } from "./error-text.ts"
import type { Suggestion } from "./failure-lessons.ts"

/** An option that a program does not have on this machine, also in the middle of a pipe; and the one used in its place. */
export function misusedOptions(events: readonly EpisodeEvent[]): Suggestion[] {
  return events.flatMap((event, at): Suggestion[] => {
    if (event.action !== "run" || event.is_error !== true || event.command === undefined) return []
    const told = textOf(event)
    const [, letter = ""] =
      /(?:illegal|invalid|unknown|unexpected|unrecogni[sz]ed) (?:option|argument|flag)s?:? ?(?:-- )?['"`]?-{0,2}([\w-]+)/i.exec(
        told,
      ) ?? []
    const misused = splitCommand(event.command).find(({ words }) =>
      words.slice(1).some((word) => letter !== "" && isOption(word, letter)),
    )
    const program = programOf(misused?.words ?? [])
    if (misused === undefined || !readers.has(program)) return []
    const option = misused.words.find((word) => isOption(word, letter)) ?? ""
    const works = events
      .slice(at + 1, at + 12)
      .filter((each) => each.kind === "tool_result" && !each.is_error && each.command !== undefined)
      .flatMap(({ command = "" }) => splitCommand(command))
      .find(
        ({ words }) =>
          programOf(words) === program && words.some((word) => word.startsWith("-") && !isOption(word, letter)),
      )
    const instead = works?.words.find((word) => word.startsWith("-"))
    const stem = `\`${program} ${option}\` does not exist on this machine`
    const text = `${stem}${instead === undefined ? "" : `; \`${program} ${instead}\` works`}.`
    return [
      {
        key: `option ${program} ${option}`,
        sessions: 2,
        event: at,
        head: undefined,
        fingerprint: event.fingerprint,
        text,
        stem,
      },
    ]
  })
}

function isOption(word: string, letter: string): boolean {
  return letter.length === 1
    ? /^-[a-zA-Z]+$/.test(word) && word.includes(letter)
    : word === `--${letter}` || word === letter
}

/** Tools of the machine, which differ between Linux and macOS. */
const readers = new Set(
  "cat sed grep date find stat readlink xargs sort head tail ls cp du ps tar awk base64 mktemp tr wc uniq".split(" "),
)

/** Commands that show the exact white space of a file. */
const showsSpaces = /\bcat -\w*[AvetT]|\bod -|\bxxd\b|\bhexdump\b|sed -n '?[\d,]*l\b/

/** An edit that did not find its text, after which the agent had to look at the white space of the file. */
export function blindEdits(events: readonly EpisodeEvent[]): Suggestion[] {
  const at = events.findIndex(
    (event, index) =>
      event.kind === "tool_result" &&
      event.action === "edit" &&
      event.is_error === true &&
      /not found|no match|failed to find/i.test(textOf(event)) &&
      events
        .slice(index + 1)
        .some(
          ({ kind, command = "" }) =>
            kind === "tool_result" && showsSpaces.test(command) && command.includes(nameOf(event.file)),
        ),
  )
  const event = events[at]
  if (event === undefined) return []
  const text =
    "Edits of indented code often do not find their text here: copy tabs and spaces exactly, and show them with `cat -vet` before repeating an edit."
  return [{ key: "spaces", sessions: 3, event: at, head: undefined, fingerprint: event.fingerprint, text }]
}

function nameOf(file = "?"): string {
  return file.slice(file.lastIndexOf("/") + 1)
}

/** A skill, agent or tool that does not exist. */
export function unknownNames(events: readonly EpisodeEvent[]): Suggestion[] {
  return events.flatMap((event, at): Suggestion[] => {
    if (event.kind !== "tool_result" || event.action !== "other" || event.is_error !== true) return []
    const [, what = "", name = ""] =
      /^Unknown (skill|agent|tool|command|sub-?agent)(?: type)?: ?['"`]?([\w:./-]{2,60})/i.exec(textOf(event).trim()) ??
      []
    if (name === "") return []
    const text = `There is no ${what.toLowerCase()} \`${name}\` here: calling it fails with "Unknown ${what.toLowerCase()}".`
    return [
      { key: `unknown ${what} ${name}`, sessions: 2, event: at, head: undefined, fingerprint: event.fingerprint, text },
    ]
  })
}

/** A program that is not installed, and what was called in its place: the same line without it, or with another program. */
export function missingPrograms(events: readonly EpisodeEvent[]): Suggestion[] {
  return events.flatMap((event, at): Suggestion[] => {
    if (event.kind !== "tool_result" || event.action !== "run" || event.is_error !== true) return []
    const found = notFound.exec(textOf(event))
    const program = found?.[1] ?? found?.[2] ?? found?.[3] ?? ""
    const was = splitCommand(event.command ?? "").find(({ words }) => words[0] === program)?.words
    if (program === "" || was === undefined) return []
    const later = events
      .slice(at + 1)
      .filter((each) => isSuccess(each) && each.action === "run")
      .flatMap(({ command = "" }) => splitCommand(command))
    if (later.some(({ words }) => words[0] === program)) return [] // it was installed
    const instead = later.slice(0, 12).find(({ words }) => replacesProgram(was, words))?.words
    const stem = `There is no \`${program}\` on this machine`
    const isDropped = instead !== undefined && was.join(" ").endsWith(` ${instead.join(" ")}`)
    const works = isDropped ? "; run commands without it" : instead ? `; \`${instead[0]}\` works` : ""
    return [
      {
        key: `program ${program}`,
        sessions: instead === undefined ? 2 : 1,
        event: at,
        head: undefined,
        fingerprint: event.fingerprint,
        text: `${stem}${works}.`,
        stem,
      },
    ]
  })
}

const notFound =
  /command not found: ([\w.+-]{1,40})|(?:^|[\s:])([\w.+-]{1,40}): (?:command )?not found\b(?!: \S)|'([\w.+-]{1,40})' is not recogni[sz]ed as/

/** The same arguments for another program, or the rest of the line without options of the missing one. */
function replacesProgram([, ...rest]: readonly string[], words: readonly string[]): boolean {
  const [, ...others] = words
  const isSameCall = rest.some((word) => isOwn.test(word)) && rest.join(" ") === others.join(" ")
  const isRest =
    words.length > 1 && rest.length > words.length - 1 && rest.slice(-words.length).join(" ") === words.join(" ")
  return isSameCall || isRest
}

/** A file, an address, a number: `build` alone may be anything. */
const isOwn = /^[^-].*[^a-z]/i

/** A branch that another worktree has checked out, and how a new branch was made all the same. */
export function branchesElsewhere(events: readonly EpisodeEvent[]): Suggestion[] {
  return events.flatMap((event, at): Suggestion[] => {
    if (event.kind !== "tool_result" || event.action !== "run" || event.is_error !== true) return []
    const [, branch = ""] = /'([\w./-]{1,80})' is already (?:used by worktree|checked out) at/.exec(textOf(event)) ?? []
    if (branch === "") return []
    const works = events
      .slice(at + 1)
      .filter(isSuccess)
      .flatMap(({ command = "" }) => splitCommand(command))
      .find(
        ({ words }) =>
          /^git (?:checkout -b|switch -c) \S+ (?:\w+\/)?\S+$/.test(words.join(" ")) && words.at(-1)?.endsWith(branch),
      )
    const stem = `\`${branch}\` is checked out in another worktree`
    const instead =
      works === undefined
        ? ""
        : `; begin a branch with \`${[...works.words.slice(0, 3), "NAME", works.words.at(-1)].join(" ")}\``
    return [
      {
        key: `branch ${branch}`,
        sessions: 1,
        event: at,
        head: event.head,
        fingerprint: event.fingerprint,
        text: `${stem}, so \`git checkout ${branch}\` fails here${instead}.`,
        stem,
      },
    ]
  })
}
