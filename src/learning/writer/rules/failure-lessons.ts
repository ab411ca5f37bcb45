import { type Command, programOf, splitCommand } from "../../../formats/shell-command.ts"
import { cleanMemoryText, clip } from "../../../formats/text.ts"
import type { Episode, EpisodeEvent, EpisodeFinding } from "../../../memories/episode.ts"
import { readsOnly } from "../../episodes/command-head.ts"
import { readsLikeInstruction } from "../sentences.ts"
import type { Lesson } from "./rules-writer.ts"

type Failure = Extract<EpisodeFinding, { kind: "failure_then_success" }>

/**
 * The fix of a failure, if it can be identified: another command line, a command in between, or after several attempts
 * an edit of the settings. A failing test between edits is ordinary work.
 */
export function learnFromFailure(
  finding: Failure,
  { events, stats }: Pick<Episode, "events" | "stats">,
): Lesson | undefined {
  const failed = plainCommand(events[finding.failures.at(-1) ?? -1]?.command)
  const worked = plainCommand(events[finding.success]?.command)
  if (failed === undefined || worked === undefined || looksAway(worked)) return undefined
  const error = errorOf(events[finding.failures.at(-1) ?? -1])
  const text =
    tellOtherCommand(finding, failed, worked, error) ??
    tellCommandBetween(finding, events, failed, error) ??
    tellEdit(finding, events, failed, error)
  if (text === undefined) return undefined
  return {
    kind: "pattern",
    tier: "short_term",
    polarity: 1,
    text,
    confidence: Math.min(0.8, 0.5 + finding.failures.length / 10),
    evidence: {
      source: "failure_then_success",
      frustration: stats.user_frustration,
      event: finding.failures[0] ?? finding.success,
    },
  }
}

function tellOtherCommand(
  { edits }: Failure,
  failed: CommandLine,
  worked: CommandLine,
  error: string,
): string | undefined {
  if (edits.length > 0 || isEverydayCommand(worked) || !differs(failed, worked)) return undefined
  return `\`${failed.text}\` fails${error}; \`${worked.text}\` works.`
}

/** The one command that changed something between failure and success; with several it is unknown which helped. */
function tellCommandBetween(
  finding: Failure,
  events: readonly EpisodeEvent[],
  failed: CommandLine,
  error: string,
): string | undefined {
  if (finding.edits.length > 0) return undefined
  const between = eventsBetween(finding, events)
    .filter(({ kind, action, head, is_error }) => isRun(kind, action) && !is_error && head !== finding.head)
    .flatMap(({ command }) => plainCommand(command) ?? [])
    .filter((command) => !isEverydayCommand(command) && !looksAway(command))
  const [command, ...others] = new Set(between.map(({ text }) => text))
  if (command === undefined || others.length > 0) return undefined
  return `\`${failed.text}\` failed${error}, and passed once \`${command}\` had been run.`
}

function isRun(kind: EpisodeEvent["kind"], action: EpisodeEvent["action"]): boolean {
  return kind === "tool_result" && action === "run"
}

function tellEdit(
  finding: Failure,
  events: readonly EpisodeEvent[],
  failed: CommandLine,
  error: string,
): string | undefined {
  const times = finding.failures.length
  if (times < 2 || finding.edits.length === 0 || error === "") return undefined
  const files = new Set(
    eventsBetween(finding, events).flatMap(({ action, file }) => (action === "edit" && file ? [file] : [])),
  )
  const [file = ""] = files
  return files.size === 1 && settings.test(file)
    ? `\`${failed.text}\` failed ${times} times${error}, until ${file} was changed.`
    : undefined
}

function eventsBetween({ failures, success }: Failure, events: readonly EpisodeEvent[]): EpisodeEvent[] {
  return events.slice((failures.at(-1) ?? 0) + 1, success)
}

/** Files that configure how a project is built and run; fixes in other files are already in the code. */
const settings =
  /(?:^|\/)(?:package\.json|[\w.-]*config[\w.-]*\.(?:[cm]?[jt]s|json|ya?ml|toml)|tsconfig[\w.-]*\.json|pyproject\.toml|setup\.(?:py|cfg)|Cargo\.toml|go\.mod|Makefile|Dockerfile[\w.-]*|docker-compose[\w.-]*\.ya?ml|pom\.xml|build\.gradle(?:\.kts)?|\.env\.example|\.(?:npmrc|nvmrc|tool-versions|babelrc|eslintrc[\w.]*|prettierrc[\w.]*)|[\w.-]+\.csproj|CMakeLists\.txt|conftest\.py|tox\.ini|\.github\/workflows\/[\w.-]+)$/i

const longestError = 80

/** ` with "…"`: the error's own line. Empty if it only says that it failed, is not prose, or makes demands. */
function errorOf(event: EpisodeEvent | undefined): string {
  const short = cleanMemoryText(event === undefined ? "" : errorLineOf(event))
    .replace(/^E (?=\S)/, "") // pytest's margin
    .replace(/(?<![\w.])(?:[A-Za-z]:|~)?(?:[\\/][\w.@+-]+)+[\\/](?=[\w.@+-])/g, "") // folders of this machine
    .replace(/ usage: .*$/i, "")
  const told = clip(short.replace(/["`]/g, "'"), longestError).replace(/[.,;:]+$/, "")
  return told.length < 8 || isNoProse(told) || saysNothing.test(told) || readsLikeInstruction(told)
    ? ""
    : ` with "${told}"`
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
  /\bexited with\b|\bexit (?:code|status)\b|\btask failed\b|^(?:--- )?FAIL\b|^not ok\b|^caused by\b|^found \d+ errors?|^\d+ (?:tests? )?failed/i

/** A command line that another agent could run. */
export type CommandLine = { text: string; commands: Command[] }

const longestCommand = 120

/**
 * Removes machine-specific folders and output truncation; undefined if nothing reusable is left, or if it needs more
 * than programs and arguments: input from a file, loops, substitutions, ignored failures.
 */
export function plainCommand(written: string | undefined): CommandLine | undefined {
  if (written === undefined || /[\n`…<]|\$\(|\|\||\[redacted\]|^\s*(?:for|while|if)\b/.test(written)) return undefined
  const commands = withoutViewers(withoutWayThere(splitCommand(written)))
  const text = commands
    .map(
      ({ words, joint }, index) => `${words.map(quoted).join(" ")}${index === commands.length - 1 ? "" : ` ${joint} `}`,
    )
    .join("")
  return text === "" || [...text].length > longestCommand ? undefined : { text: text.replaceAll(" ; ", "; "), commands }
}

function withoutWayThere(commands: readonly Command[]): Command[] {
  const first = commands.findIndex(
    ({ words }) => !(words[0] === "cd" && /^(?:\/|~|\$|\.?$|[A-Za-z]:)/.test(words[1] ?? "")),
  )
  return first === -1 ? [] : commands.slice(first)
}

/** Pipes that shorten the output, and read-only commands at the end. */
function withoutViewers(commands: readonly Command[]): Command[] {
  const kept = [...commands]
  while (kept.length > 1 && isViewer(kept.at(-1))) kept.pop()
  return kept
}

function isViewer(command: Command | undefined): boolean {
  return command !== undefined && (readsOnly([command]) || ["tee", "out-file"].includes(programOf(command.words)))
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./~*{}[\]!?^-]+$/.test(word)) return word
  return word.includes("'") ? `"${word}"` : `'${word}'`
}

/**
 * Whether two runs differ in something that can be learned: an option, a variable, the folder, a wrapper. Not in their
 * targets, and not if the successful one simply did less.
 */
export function differs(failed: CommandLine, worked: CommandLine): boolean {
  const before = tellingParts(failed)
  const after = tellingParts(worked)
  if (worked.commands.length < failed.commands.length) return false
  return before.size !== after.size || [...after].some((part) => !before.has(part))
}

function tellingParts({ commands }: CommandLine): Set<string> {
  const parts = new Set<string>()
  for (const { words } of commands) {
    const start = words.findIndex((word) => !isAssignment(word))
    for (const [index, word] of words.entries()) {
      if (word.startsWith("-")) {
        if (!narrows.test(word) && !talks.test(word)) parts.add(word.replace(/=.*$/, ""))
      } else if (isAssignment(word) || index === start || words[0] === "cd") parts.add(word)
      else if (index === start + 1 && /^[a-z][\w:-]*$/.test(word)) parts.add(word)
    }
  }
  return parts
}

function isAssignment(word: string): boolean {
  return /^[A-Z_][A-Z0-9_]*=/.test(word)
}

/** Options that select tests or packages, or the action: such a pass is not comparable. */
const narrows =
  /^--?(?:[ceghkmnprtFh]|eval|command|execute|host|run|test|filter|grep|package|project|testNamePattern|testPathPattern|tests|only|bail|message|title|body)(?:=|$)/

/** Options that only change the output. */
const talks =
  /^--?(?:v+|q|s|verbose|quiet|silent|no-color|color|reporter|format|tb|pretty|progress|stat|oneline|short|porcelain|nocapture|no-pager|json)(?:=|$)/

/** Whether it consists only of well-known programs, inline code, and read-only commands. */
export function isEverydayCommand({ commands }: CommandLine): boolean {
  return commands.every((command) => isEveryday(command.words) || readsOnly([command]))
}

function isEveryday(words: readonly string[]): boolean {
  const hasCode = words.some((word, index) => /^(?:-[cep]|--eval)$/.test(word) && /[ (]/.test(words[index + 1] ?? ""))
  return hasCode || everyday.has(programOf(words))
}

const everyday = new Set(
  "git gh cd mkdir rm cp mv touch chmod chown ln curl wget kill pkill sleep xargs open export source set".split(" "),
)

/** A success reached by skipping checks is not worth repeating. */
export function looksAway({ text }: CommandLine): boolean {
  return /--no-verify|--force\b|--skip|-DskipTests|--ignore|--no-check|--allow-dirty|\s-f\b|--exclude|--passWithNoTests|--break-system|--unsafe|--insecure/i.test(
    text,
  )
}
