import { readsOnly } from "../../episodes/commands/reads-only.ts"
import { type Command, splitCommand } from "../../formats/commands/split-command.ts"
import { programOf } from "../../formats/commands/unwrap-command.ts"

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
