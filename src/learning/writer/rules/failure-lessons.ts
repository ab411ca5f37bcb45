import { programOf, splitCommand } from "../../../formats/shell-command.ts"
import { cleanMemoryText, clip } from "../../../formats/text.ts"
import type { Episode, EpisodeEvent } from "../../../memories/episode.ts"
import {
  type CommandLine,
  type Cure,
  checksStyle,
  type FailedCommand,
  failedCommandsIn,
  isUsageError,
} from "../../episodes/cures.ts"
import { readsLikeInstruction } from "../sentences.ts"
import type { Lesson } from "./rules-writer.ts"

/** A lesson that an episode suggests, and what it takes to believe it. */
export type FailureLesson = {
  /** The same in every session where the same thing happens. */
  key: string
  /** In so many sessions of the project it must have happened: 1 if one episode shows what the cure was. */
  sessions: number
  /** The part of its sentence that is always the same, if the rest may differ: the first one that was learned stays. */
  stem?: string
  lesson: Lesson
}

/** What the failures of an episode teach. A cure that one episode does not prove needs more sessions with the same. */
export function failureLessonsOf({ events, stats }: Pick<Episode, "events" | "stats">): FailureLesson[] {
  const found = [
    ...failedCommandsIn(events).flatMap((each) => suggest(events, each)),
    ...misusedOptions(events),
    ...blindEdits(events),
    ...unknownNames(events),
  ]
  return found.map(({ key, sessions, text, stem, event, head, fingerprint }) => ({
    key,
    sessions,
    ...(stem !== undefined && { stem }),
    lesson: {
      kind: "pattern",
      tier: "short_term",
      polarity: 1,
      text,
      confidence: 0.7,
      trigger: {
        tools: [],
        heads: head === undefined ? [] : [head],
        paths: [],
        fingerprints: fingerprint === undefined ? [] : [fingerprint],
      },
      evidence: { source: "failure_then_success", frustration: stats.user_frustration, event },
    },
  }))
}

type Suggestion = Said & { event: number; head: string | undefined; fingerprint: string | undefined }

function suggest(events: readonly EpisodeEvent[], found: FailedCommand): Suggestion[] {
  const at = found.failure
  const event = events[at]
  if (event === undefined) return []
  const said = sayCure(event, found)
  const { head, fingerprint } = event
  return said === undefined ? [] : [{ event: at, head, fingerprint, ...said }]
}

type Said = { key: string; sessions: number; text: string; stem?: string }

function sayCure(event: EpisodeEvent, { failed, cure }: FailedCommand): Said | undefined {
  const error = errorOf(event)
  const withError = error === "" ? "" : ` with "${error}"`
  const print = event.fingerprint ?? ""
  const misused = misusedWord(event, failed)
  switch (cure.kind) {
    case "form": {
      const isCertain = cure.passed && !isEveryday(cure.worked)
      const text = `\`${cure.failed.text}\` fails${withError}; \`${cure.worked.text}\` works.`
      if (!isReusable(cure.failed) || !isReusable(cure.worked)) return undefined
      return { key: `form ${cure.failed.text} ${cure.worked.text}`, sessions: isCertain ? 1 : 2, text }
    }
    case "sandbox":
      if (!sandboxed.test(textOf(event))) return undefined
      return {
        key: `sandbox ${event.head}`,
        sessions: 1,
        text: `\`${event.head ?? failed.text}\` fails inside the sandbox${withError}; run it outside, with escalated permissions.`,
      }
    case "command":
    case "fixer":
      return sayCommand(event, failed, cure, withError)
    case "nothing":
      if (error === "" || isUsageError(event) || isEveryday(failed)) return undefined
      return {
        key: `flaky ${event.head} ${print}`,
        sessions: 2,
        text: `\`${event.head ?? failed.text}\` sometimes fails${withError} and passes when it is run again unchanged: run it again before looking for a cause.`,
      }
    case "edit":
    case "none":
    case "unclear":
      if (misused !== undefined)
        return {
          key: `misuse ${misused}`,
          sessions: 2,
          text: `\`${failed.text}\` does not work here: it fails${withError}.`,
        }
      if (error === "" || tooGeneral.test(error) || aboutFormat.test(error)) return undefined
      if (lints.test(event.head ?? "") && event.test === undefined)
        return {
          key: `style ${print}`,
          sessions: 3,
          text: `\`${event.head ?? failed.text}\` rejects code${withError}: avoid it when writing code.`,
        }
      if (cure.kind === "edit") return sayFile(event, cure, print, withError)
      if (
        cure.kind === "unclear" ||
        event.test === "failed" ||
        (isEveryday(failed) && !/^git (?:push|pull|fetch|clone)/.test(event.head ?? ""))
      )
        return undefined
      return {
        key: `helpless ${print}`,
        sessions: 3,
        stem: `has failed here in several sessions${withError}`,
        text: `\`${event.head ?? failed.text}\` has failed here in several sessions${withError}, and nothing tried in them helped: do not keep retrying, tell the user.`,
      }
  }
}

function sayCommand(
  event: EpisodeEvent,
  failed: CommandLine,
  cure: Extract<Cure, { kind: "command" | "fixer" }>,
  withError: string,
): Said | undefined {
  const { command } = cure
  if (!isReusable(command) || !isReusable(failed)) return undefined
  const isFixer =
    cure.kind === "fixer" || (event.test === undefined && repairs.test(command.text) && checksStyle.test(failed.text))
  if (isFixer)
    return {
      key: `fixer ${failed.text} ${command.text}`,
      sessions: cure.kind === "command" || aboutFormat.test(textOf(event)) ? 1 : 2,
      text: `When \`${failed.text}\` reports formatting or style, run \`${command.text}\`: it repairs most of it.`,
    }
  const isTrivial = trivial.has(programOf(command.commands.at(-1)?.words ?? []))
  return {
    key: `cure ${failed.text} ${command.text}`,
    sessions: isTrivial ? 2 : 1,
    text: `When \`${failed.text}\` fails${withError}, run \`${command.text}\` first: that fixed it before.`,
  }
}

/** The file that was edited every time; one edit alone is a repair of one's own work. */
function sayFile(
  event: EpisodeEvent,
  { files }: { files: string[] },
  print: string,
  withError: string,
): Said | undefined {
  const [file = "", ...others] = files
  if (file === "" || others.length > 0) return undefined
  return {
    key: `edit ${file} ${print}`,
    sessions: 2,
    text: `When \`${event.head}\` fails${withError}, look at \`${file}\`: editing it fixed this before.`,
  }
}

/** Only shows what everyone would do. */
const trivial = new Set("mkdir chmod touch kill sleep curl".split(" "))

const repairs = /\b(?:fix|format|fmt|--write|prettier|-w)\b|:fix\b/

const sandboxed =
  /ENOTFOUND|EPERM|EACCES|SIGABRT|ENETUNREACH|ECONNREFUSED|EAI_AGAIN|not permitted|permission denied|read-only file system|sandbox|could not resolve host/i

/** Errors that every project has, with another cause each time. */
const tooGeneral =
  /^(?:AssertionError|Assertion|Error: expect|expected|undefined|null|exit|fatal: .*(?:not a git|pathspec)|SyntaxError|TypeError|ReferenceError|panic|FAIL|not ok|Item \d|\d+ (?:tests?|errors?|problems?))|\berror (?:TS|CS)\d|\b(?:TS|CS)\d{4}\b|Cannot find (?:name|module)|Unexpected token|syntax error|^undefined:|\bconflict\b|could not apply|no such file|failed to push some refs|unused|test file/i

/** Checks whose messages are rules about code. */
const lints =
  /\b(?:lint|check|biome|eslint|ruff|clippy|golangci-lint|stylelint|markdownlint|standard|rubocop|ktlint|detekt|flake8|pylint)/i

/** A formatter repairs these. */
const aboutFormat =
  /formatter would|not (?:be )?formatted|format(?:ting)?\b.*(?:differ|issue|error)|should be sorted|not sorted|organi[sz]e ?imports|run with --fix|prettier/i

/** The word of a command that the error names: an option, a script, a subcommand. */
function misusedWord(event: EpisodeEvent, failed: CommandLine): string | undefined {
  if (!isUsageError(event)) return undefined
  const told = textOf(event)
  const words = failed.commands.flatMap((command) =>
    command.words.slice(1).map((word) => [programOf(command.words), word] as const),
  )
  const named = words.find(
    ([, word]) =>
      (word.length > 2 && told.includes(`'${word}'`)) || told.includes(`"${word}"`) || told.includes(`\`${word}\``),
  )
  return named?.join(" ")
}

function textOf({ raw_snippet, summary }: EpisodeEvent): string {
  return `${raw_snippet ?? ""}\n${summary}`
}

const longestError = 80

/** The error's own line; empty if it only says that it failed, is not prose, or makes demands. */
function errorOf(event: EpisodeEvent): string {
  const short = cleanMemoryText(errorLineOf(event))
    .replace(/^(?:E (?=\S)|[×✖✗✘⨯●]\s*)/, "") // the margins of test runners and linters
    .replace(/(?<![\w.])(?:[A-Za-z]:|~)?(?:[\\/][\w.@+-]+)+[\\/](?=[\w.@+-])/g, "") // folders of this machine
    .replace(/ usage: .*$/i, "")
  const told = clip(short.replace(/["`]/g, "'"), longestError).replace(/[.,:;]+$/, "")
  return told.length < 8 || isNoProse(told) || saysNothing.test(told) || readsLikeInstruction(told) ? "" : told
}

/** The snippet, or the summary of an output that begins with the error. */
function errorLineOf({ raw_snippet, summary }: EpisodeEvent): string {
  return raw_snippet ?? (complains.test(summary) ? summary : (missing.exec(summary)?.[0] ?? ""))
}

function isNoProse(text: string): boolean {
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0
  return letters < text.length * 0.6 || /[│┃╭╰━─·×✗❯]/.test(text)
}

const complains =
  /^(?:\S{0,40}(?:error|exception|fatal|failed|denied)\b|cannot |could not |no such |unknown |missing )/i

/** A shell's one-line error about a program or a file. */
const missing = /^.{1,120}?: (?:command not found|not found|No such file or directory|Permission denied)\b/i

const saysNothing =
  /\bexited with\b|\bexit (?:code|status)\b|\btask failed\b|^(?:--- )?FAIL\b|^not ok\b|^caused by\b|^found \d+ errors?|^\d+ (?:tests? )?failed|^error: item \d|^[$>] /i

/** Well-known programs: how they are called is not about this project. */
function isEveryday({ commands }: CommandLine): boolean {
  return commands.every(({ words }) => everyday.has(programOf(words)))
}

const everyday = new Set(
  "git gh cd mkdir rm cp mv touch chmod chown ln curl wget kill pkill sleep xargs open export source set ls cat rg grep find sed awk node python ruby sqlite3 jq echo".split(
    " ",
  ),
)

/** Whether another session could run it: nothing in it belongs to one moment, one process or one file of code. */
function isReusable({ commands }: CommandLine): boolean {
  return commands.every(({ words }) =>
    words.every(
      (word, at) =>
        at === 0 ||
        !(
          /\b(?=[a-f]*\d)[0-9a-f]{7,}\b|^\d{3,}$|^\/tmp\/|\/T\/|mktemp/.test(word) ||
          /\/[\w.-]+\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|cs|md|json)$/.test(word)
        ),
    ),
  )
}

/** An option that a program does not have on this machine, also in the middle of a pipe; and the one used in its place. */
function misusedOptions(events: readonly EpisodeEvent[]): Suggestion[] {
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
function blindEdits(events: readonly EpisodeEvent[]): Suggestion[] {
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
function unknownNames(events: readonly EpisodeEvent[]): Suggestion[] {
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
