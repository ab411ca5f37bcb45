import { programOf, splitCommand } from "../../../formats/shell-command.ts"
import type { Episode, EpisodeEvent } from "../../../memories/episode.ts"
import { type CommandLine, lineOf } from "../../episodes/command-line.ts"
import { type Cure, checksStyle, type FailedCommand, failedCommandsIn, isUsageError } from "../../episodes/cures.ts"
import { isSuccess } from "../../episodes/episode-stats.ts"
import { enforcedRules } from "./enforced-rules.ts"
import { errorOf, textOf } from "./error-text.ts"
import { blindEdits, branchesElsewhere, missingPrograms, misusedOptions, unknownNames } from "./missing-things.ts"
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
    ...missingPrograms(events),
    ...branchesElsewhere(events),
    ...enforcedRules(events),
  ]
  return eachOnce(found).map(({ key, sessions, text, stem, event, head, fingerprint }) => ({
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

/** A sentence with a stem is learned once from an episode: the one that says most. */
function eachOnce(found: readonly Suggestion[]): Suggestion[] {
  const said = found.filter(({ stem }) => stem !== undefined)
  return found.filter((each) => {
    const same = said.filter(({ key }) => key === each.key)
    return each.stem === undefined || each === same.sort((one, other) => other.text.length - one.text.length)[0]
  })
}

/** What an event suggests, and what it takes to believe it. */
export type Suggestion = Said & { event: number; head: string | undefined; fingerprint: string | undefined }

function suggest(events: readonly EpisodeEvent[], found: FailedCommand): Suggestion[] {
  const at = found.failure
  const event = events[at]
  if (event === undefined) return []
  const said = sayCure(event, found)
  if (said?.key.startsWith("helpless") && wasReplaced(events, found)) return []
  const { head, fingerprint } = event
  return said === undefined ? [] : [{ event: at, head, fingerprint, ...said }]
}

/** Something else was done with the same thing, and passed: `pnpm add zod` after `npm install zod`. */
function wasReplaced(events: readonly EpisodeEvent[], { failure, failed }: FailedCommand): boolean {
  const things = new Set(failed.commands.flatMap(({ words }) => words.slice(1).filter((word) => /^\w.{2}/.test(word))))
  return events
    .slice(failure + 1)
    .filter((event) => event.action === "run" && isSuccess(event))
    .some(({ command = "" }) =>
      splitCommand(command).some(({ words }) => words.slice(1).some((word) => things.has(word))),
    )
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
    case "root":
      if (!isReusable(failed)) return undefined
      return {
        key: `root ${failed.text}`,
        sessions: 1,
        text: `\`${failed.text}\` works in the root of the project: elsewhere it fails${withError}.`,
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
      if (misused !== undefined) {
        const stem = `\`${misused.call}\` does not work here`
        return { key: `misuse ${misused.key}`, sessions: 2, stem, text: `${stem}: it fails${withError}.` }
      }
      if (error === "" || tooGeneral.test(error) || aboutFormat.test(error)) return undefined
      if (event.rules !== undefined) return undefined // learned by their names
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
  const command = withoutRandomNames(cure.command)
  if (!isReusable(command) || !isReusable(failed) || isRisky(command)) return undefined
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

/** It may have helped once, and destroys something or lowers a guard when another agent runs it. */
function isRisky({ text }: CommandLine): boolean {
  return risky.some((pattern) => pattern.test(text))
}

const risky = [
  /\b(?:pkill|killall|dropdb|mkfs|shutdown|reboot|flushall|flushdb|prune|destroy)\b/i,
  /\brm\b.* (?:\.{1,2}\/?|\*|[~/$]\S*)(?: |$)/, // more than a folder of the project
  /\b(?:volumes?|images?|containers?|networks?) rm\b|\bdown\b.* (?:-v|--volumes)\b/,
  /\bmigrate reset\b|\bdb:(?:drop|reset|purge)\b|\b(?:drop|truncate) (?:table|database|schema)\b/i,
  /\b(?:kubectl|helm|terraform|tofu|pulumi|gcloud|aws|az)\b.*\b(?:apply|up|delete|destroy|uninstall|terminate)\b/,
  /\| (?:sudo )?(?:ba|z)?sh\b|strict-ssl|TLS_REJECT_UNAUTHORIZED|sslVerify|--no-verify|--insecure/i,
]

/** `rm -rf tmp/clone-Xy12Zw`: another session finds a folder with another ending. */
function withoutRandomNames(line: CommandLine): CommandLine {
  if (programOf(line.commands[0]?.words ?? []) !== "rm") return line
  return { ...line, text: line.text.replace(/(?<=\w[-.])(?=\w*[a-z])(?=\w*[A-Z])[A-Za-z0-9]{6,10}(?=[/\s'"]|$)/g, "*") }
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
  /^(?:AssertionError|Assertion|Error: expect|expected|undefined|null|exit|fatal: .*(?:not a git|pathspec)|SyntaxError|TypeError|ReferenceError|panic|FAIL|not ok|Item \d|\d+ (?:tests?|errors?|problems?))|\berror (?:TS|CS)\d|\b(?:TS|CS)\d{4}\b|Cannot find (?:name|module)|Unexpected token|syntax error|^undefined:|\bconflict\b|could not apply|no such file|failed to push some refs|unused|test file|command not found|is already (?:used by|checked out)/i

/** Checks whose messages are rules about code. */
const lints =
  /\b(?:lint|check(?!out)|biome|eslint|ruff|clippy|golangci-lint|stylelint|markdownlint|standard|rubocop|ktlint|detekt|flake8|pylint)/i

/** A formatter repairs these. */
const aboutFormat =
  /formatter would|not (?:be )?formatted|format(?:ting)?\b.*(?:differ|issue|error)|should be sorted|not sorted|organi[sz]e ?imports|run with --fix|prettier/i

/** The word of a command that the error names: an option, a script, a subcommand; with the call up to it. */
function misusedWord(event: EpisodeEvent, { commands }: CommandLine): { key: string; call: string } | undefined {
  if (!isUsageError(event)) return undefined
  const told = textOf(event)
  for (const { words } of commands) {
    const at = words.findIndex(
      (word, place) =>
        place > 0 &&
        ((word.length > 2 && told.includes(`'${word}'`)) || told.includes(`"${word}"`) || told.includes(`\`${word}\``)),
    )
    if (at !== -1) return { key: `${programOf(words)} ${words[at]}`, call: lineOf(words.slice(0, at + 1)).text }
  }
  return undefined
}

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
