import { type Command, programOf, splitCommand } from "../../formats/shell-command.ts"
import { readsOnly } from "./command-head.ts"

/** A command line that another agent could run. */
export type CommandLine = { text: string; commands: Command[] }

const longestCommand = 120

/**
 * Removes machine-specific folders and output truncation; undefined if nothing reusable is left, or if it needs more
 * than programs and arguments: input from a file, loops, substitutions, ignored failures.
 */
export function plainCommand(shown: string | undefined): CommandLine | undefined {
  const written = shown && withoutCommitMessage(shown)
  if (written === undefined || /[\n`…<]|\$\(|\|\||\[redacted\]|^\s*(?:for|while|if)\b/.test(written)) return undefined
  const commands = withoutViewers(withoutWayThere(splitCommand(written)))
  const text = textOf(commands)
  return text === "" || [...text].length > longestCommand ? undefined : { text, commands }
}

/** What a commit says, and which files it takes, does not make it another command; a message may be cut at its end. */
function withoutCommitMessage(shown: string): string {
  return shown
    .replace(/(\bgit commit\b[^|;&]{0,60}?) -a?m "\$\(cat <<.*?(?: EOF\s*\)"|$)/s, "$1")
    .replace(/(?:\w+ )?git add [^|;&]* && (?=(?:\w+ )?git commit\b)/, "")
}

export function textOf(commands: readonly Command[]): string {
  return commands
    .map(
      ({ words, joint }, index) => `${words.map(quoted).join(" ")}${index === commands.length - 1 ? "" : ` ${joint} `}`,
    )
    .join("")
    .replaceAll(" ; ", "; ")
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

export function quoted(word: string): string {
  if (/^[\w@%+=:,./~*{}[\]!?^-]+$/.test(word)) return word
  return word.includes("'") ? `"${word}"` : `'${word}'`
}

/** A command without what only changes its output. */
export function keyOf({ words }: Command): string {
  return words.filter((word, at) => !talks.test(word) && !/^-(?:m|-message)$/.test(words[at - 1] ?? "")).join(" ")
}

/** Whether a line runs everything that another one ran, on the same targets. */
export function includesRun(line: CommandLine, other: CommandLine): boolean {
  const run = new Set(line.commands.map(keyOf))
  return other.commands.every((command) => run.has(keyOf(command)))
}

export function isSame(one: CommandLine, other: CommandLine): boolean {
  return includesRun(one, other) && includesRun(other, one)
}

/** Options that select tests or packages, or the action: such a pass is not comparable. */
export const narrows =
  /^--?(?:[ceghkmnprtFh]|eval|command|execute|host|run|test|filter|grep|package|project|testNamePattern|testPathPattern|tests|only|bail|message|title|body|help|version|dry-run|list|since|changed|related)(?:=|$)/

/** Options that only change the output. */
export const talks =
  /^--?(?:v+|q|s|verbose|quiet|silent|no-color|color|reporter|format|tb|pretty|progress|stat|oneline|short|porcelain|nocapture|no-pager|json)(?:=|$)/

/** A success reached by skipping checks is not worth repeating. */
export function looksAway({ text }: CommandLine): boolean {
  return /--no-verify|--force\b|--skip|-DskipTests|--ignore|--no-check|--allow-dirty|\s-f\b|--exclude|--passWithNoTests|--break-system|--unsafe|--insecure/i.test(
    text,
  )
}

export function lineOf(words: string[]): CommandLine {
  return { text: words.map(quoted).join(" "), commands: [{ words, joint: "" }] }
}

export function asksForHelp(words: readonly string[]): boolean {
  return words.some((word) => /^(?:-h|--help|--version|-V|help)$/.test(word))
}
