import { type Command, Help, Option } from "commander"
import { colors } from "../colors.ts"
import { writeOut } from "../write-out.ts"
import { notesOf } from "./help-notes.ts"

const heading = "Common options:"
const shared = new Set(["--root", "--json", "--version"])

/** Taken out of the line before any command reads it, so none of them has these as its own. */
export const outputOptions = [
  new Option("--no-color", "no colour; drey help output says more"),
  new Option("--no-pager", "do not page long output"),
].map((option) => option.helpGroup(heading))

/** Gives a command its help in the form of all: its own options first, the shared ones last, then exit codes, files and environment. */
export function formatHelp(command: Command, path: string): void {
  for (const option of command.options) if (shared.has(option.long ?? "")) option.helpGroup(heading)
  command.addHelpOption(new Option("-h, --help", "show this help").helpGroup(heading))
  command.configureHelp(configuration)
  writeInOnePiece(command)
  const notes = command.commands.length > 0 && !hasAction(command) ? "" : notesOf(path)
  if (notes !== "") command.addHelpText("after", `\n${notes}`)
}

/** A help comes in several texts; the pager is to have it whole. */
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

/** A name that only holds others ends in their help. */
function hasAction(command: Command): boolean {
  return command.registeredArguments.length > 0 || command.options.some(({ long }) => long === "--json")
}

const configuration: Partial<Help> = {
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
