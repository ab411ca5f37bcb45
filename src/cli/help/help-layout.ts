import { type Command, Help, Option } from "commander"
import { colors, writeOut } from "../output.ts"
import { notesOf } from "./help-notes.ts"

const heading = "Common options:"
const shared = new Set(["--root", "--json", "--version"])

/** Removed from the command line before commands parse it, so they are added to the help here. */
export const outputOptions = [
  new Option("--no-color", "disable colour (see drey help output)"),
  new Option("--no-pager", "do not page long output"),
].map((option) => option.helpGroup(heading))

/** Formats a command's help: its own options first, shared ones last, then exit codes, files and environment. */
export function formatHelp(command: Command, path: string): void {
  for (const option of command.options) if (shared.has(option.long ?? "")) option.helpGroup(heading)
  command.addHelpOption(new Option("-h, --help", "show this help").helpGroup(heading))
  command.configureHelp(configuration)
  writeInOnePiece(command)
  const notes = command.commands.length > 0 && !hasAction(command) ? "" : notesOf(path)
  if (notes !== "") command.addHelpText("after", `\n${notes}`)
}

/** Commander writes a help text in several pieces; the pager needs all of it at once. */
function writeInOnePiece(command: Command): void {
  let pieces: string[] | undefined
  command.configureOutput({
    writeOut: (text) => (pieces ? void pieces.push(text) : writeOut(text)),
    getOutHasColors: () => colors.isColorSupported,
  })
  command.on("beforeAllHelp", () => {
    pieces = []
  })
  command.on("afterAllHelp", () => {
    if (pieces?.length) writeOut(pieces.join(""))
    pieces = undefined
  })
}

/** A command group has no action of its own. */
function hasAction(command: Command): boolean {
  return command.registeredArguments.length > 0 || command.options.some(({ long }) => long === "--json")
}

const configuration: Partial<Help> = {
  minWidthToWrap: 24, // also descriptions beside long options, on a narrow terminal
  visibleOptions(command) {
    const options = Help.prototype.visibleOptions.call(this, command)
    const isShared = (option: Option) => option.helpGroupHeading === heading
    return [...options.filter((option) => !isShared(option)), ...options.filter(isShared), ...outputOptions]
  },
  groupItems(_all, visible, groupOf) {
    const groups = new Map<string, typeof visible>()
    for (const item of visible) groups.set(groupOf(item), [...(groups.get(groupOf(item)) ?? []), item])
    return groups
  },
  subcommandTerm: (command) => [command.name(), ...command.aliases()].join("|"),
  styleTitle: (title) => colors.bold(title),
}

/** The help's headings with their commands. */
const headings: Record<string, readonly string[]> = {
  "Start:": ["init", "connect", "disconnect", "trust"],
  "Write:": ["remember", "edit", "forget", "inbox", "tidy", "undo"],
  "Find:": ["search", "list", "show", "log", "context"],
  "Keep:": ["learn", "status", "check", "ui", "demo", "help"],
  "Move and share:": ["import", "export", "team", "session"],
  "Parts of tidy and check:": ["merge", "archive", "summarize", "scrub", "validate", "reindex", "convert-memory"],
  "Parts of learn and status:": [
    "ingest",
    "replay",
    "flush",
    "watch",
    "evaluate",
    "pin",
    "policy",
    "pause",
    "resume",
    "stats",
    "report",
  ],
  "Squad's spellings:": ["memory", "directive"],
  "For scripts and other programs:": ["upgrade", "schema", "view", "completion", "mcp", "hook", "merge-driver"],
}

/** Every command's heading, in the order of the help. */
export const headingOf: ReadonlyMap<string, string> = new Map(
  Object.entries(headings).flatMap(([heading, names]) => names.map((name) => [name, heading] as const)),
)
