import { Command } from "commander"
import { scrubText } from "../governance/find-sensitive.ts"
import { headingOf } from "./help/command-headings.ts"
import { formatHelp } from "./help/format-help.ts"
import { topics } from "./help/topics.ts"
import { checkPerson } from "./only-a-person.ts"
import { writeError } from "./write-out.ts"

declare const DREY_VERSION: string

/** Every command, loaded lazily: a hook has no time to load the others. */
const commands: Record<string, () => Promise<Command>> = {
  memory: async () => (await import("./commands/memory.ts")).memoryCommand(),
  search: async () => (await import("./commands/search.ts")).searchCommand(),
  context: async () => (await import("./commands/context.ts")).contextCommand(),
  why: async () => (await import("./commands/why.ts")).whyCommand(),
  session: async () => (await import("./commands/session.ts")).sessionCommand(),
  log: async () => (await import("./commands/log.ts")).logCommand(),
  status: async () => (await import("./commands/status.ts")).statusCommand(),
  ingest: async () => (await import("./commands/ingest.ts")).ingestCommand(),
  watch: async () => (await import("./commands/watch.ts")).watchCommand(),
  flush: async () => (await import("./commands/flush.ts")).flushCommand(),
  replay: async () => (await import("./commands/replay.ts")).replayCommand(),
  evaluate: async () => (await import("./commands/evaluate.ts")).evaluateCommand(),
  forget: async () => (await import("./commands/forget.ts")).forgetCommand(),
  pin: async () => (await import("./commands/pin.ts")).pinCommand(),
  policy: async () => (await import("./commands/policy.ts")).policyCommand(),
  pause: async () => (await import("./commands/pause.ts")).pauseCommand(),
  resume: async () => (await import("./commands/resume.ts")).resumeCommand(),
  reindex: async () => (await import("./commands/reindex.ts")).reindexCommand(),
  team: async () => (await import("./commands/team.ts")).teamCommand(),
  ui: async () => (await import("./commands/ui.ts")).uiCommand(),
  mcp: async () => (await import("./commands/mcp.ts")).mcpCommand(),
  validate: async () => (await import("./commands/validate.ts")).validateCommand(),
  "convert-memory": async () => (await import("./commands/convert-memory.ts")).convertMemoryCommand(),
  schema: async () => (await import("./commands/schema.ts")).schemaCommand(),
  view: async () => (await import("./commands/view.ts")).viewCommand(),
  export: async () => (await import("./commands/export.ts")).exportCommand(),
  import: async () => (await import("./commands/import.ts")).importCommand(),
  merge: async () => (await import("./commands/merge.ts")).mergeCommand(),
  directive: async () => (await import("./commands/directive.ts")).directiveCommand(),
  archive: async () => (await import("./commands/archive.ts")).archiveCommand(),
  summarize: async () => (await import("./commands/summarize.ts")).summarizeCommand(),
  tidy: async () => (await import("./commands/tidy.ts")).tidyCommand(),
  undo: async () => (await import("./commands/undo.ts")).undoCommand(),
  "merge-driver": async () => (await import("./commands/merge-driver.ts")).mergeDriverCommand(),
  hook: async () => (await import("./commands/hook.ts")).hookCommand(),
  demo: async () => (await import("./commands/demo.ts")).demoCommand(),
  init: async () => (await import("./commands/init.ts")).initCommand(),
  upgrade: async () => (await import("./commands/upgrade.ts")).upgradeCommand(),
  trust: async () => (await import("./commands/trust.ts")).trustCommand(),
  connect: async () => (await import("./commands/connect.ts")).connectCommand(),
  disconnect: async () => (await import("./commands/disconnect.ts")).disconnectCommand(),
  doctor: async () => (await import("./commands/doctor.ts")).doctorCommand(),
  report: async () => (await import("./commands/report.ts")).reportCommand(),
  stats: async () => (await import("./commands/stats.ts")).statsCommand(),
  scrub: async () => (await import("./commands/scrub.ts")).scrubCommand(),
  completion: async () => (await import("./commands/completion.ts")).completionCommand(),
  help: async () => (await import("./commands/help.ts")).helpCommand(),
}

/** Builds the command line: only the named command if there is one, which is faster, else all. */
export async function makeProgram(name?: string): Promise<Command> {
  const program = new Command("drey")
    .description("One memory for a team of coding agents.")
    .version(typeof DREY_VERSION === "string" ? DREY_VERSION : "0.0.0", "-V, --version", "print the version")
    .helpCommand(false)
    .addHelpText(
      "after",
      `\nGet started: drey demo shows the whole workflow in a minute, drey init sets up the current repository.
Topics: ${Object.keys(topics).join(", ")}. Run drey help TOPIC or drey COMMAND --help for details.`,
    )
    .enablePositionalOptions() // an option belongs to the command before it
    .showSuggestionAfterError(true)
    .exitOverride()
    .hook("preAction", (_, action) => checkPerson(action))
  const only = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
  for (const load of only ? [only] : inOrderOfHelp()) {
    const command = await load()
    settle(command, command.name())
    program.addCommand(command.helpGroup(headingOf.get(command.name()) ?? "Commands:"))
  }
  formatHelp(program, "")
  tellErrors(program)
  return program
}

/** In the order of the help's headings. */
function inOrderOfHelp(): (() => Promise<Command>)[] {
  const places = [...headingOf.keys()]
  const placeOf = (name: string) => (headingOf.has(name) ? places.indexOf(name) : places.length)
  const sorted = Object.entries(commands).sort(([one], [other]) => placeOf(one) - placeOf(other))
  return sorted.map(([, load]) => load)
}

function tellErrors(command: Command): void {
  command.configureOutput({ writeErr: (text) => writeError(scrubText(text)) }) // error texts may repeat secrets from the command line
}

/** Settings of every command: errors are thrown, so that one place decides the exit code. */
function settle(command: Command, path: string): void {
  if (command.commands.length === 0) trustOnWrite(command, path)
  command.exitOverride().showSuggestionAfterError(true).helpCommand(false)
  tellErrors(command)
  formatHelp(command, path)
  for (const sub of command.commands) settle(sub, `${path} ${sub.name()}`)
}

function trustOnWrite(command: Command, path: string): void {
  let afterwards: (() => Promise<void>) | undefined
  command
    .hook("preAction", async (_, called) => {
      const { watchForWrite } = await import("./trusting.ts")
      afterwards = watchForWrite(path, called.opts().root)
    })
    .hook("postAction", () => afterwards?.())
}
