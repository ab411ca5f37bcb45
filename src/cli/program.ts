import { Command } from "commander"
import { DreyError } from "../errors.ts"
import { actingAgent, requireUser, takeAgentRecord } from "../hooks/acting-agent.ts"
import { formatHelp, headingOf } from "./help/help-layout.ts"
import { topics } from "./help/topics.ts"

declare const DREY_VERSION: string

export const version = typeof DREY_VERSION === "string" ? DREY_VERSION : "0.0.0"

/** Every command by its name and aliases, loaded lazily: a hook has no time to load the others. */
const commands: Record<string, () => Promise<Command>> = {
  init: async () => (await import("./commands/init.ts")).initCommand(),
  connect: async () => (await import("./commands/connect.ts")).connectCommand(),
  disconnect: async () => (await import("./commands/connect.ts")).disconnectCommand(),
  trust: async () => (await import("./commands/trust.ts")).trustCommand(),
  remember: async () => (await import("./commands/remember.ts")).rememberCommand(),
  forget: async () => (await import("./commands/item.ts")).forgetCommand(),
  edit: async () => (await import("./commands/item.ts")).editCommand(),
  search: async () => (await import("./commands/search.ts")).searchCommand(),
  list: async () => (await import("./commands/memory.ts")).listCommand(),
  show: async () => (await import("./commands/show.ts")).showCommand(),
  log: async () => (await import("./commands/log.ts")).logCommand(),
  context: async () => (await import("./commands/context.ts")).contextCommand(),
  inbox: async () => (await import("./commands/inbox.ts")).inboxCommand(),
  tidy: async () => (await import("./commands/tidy.ts")).tidyCommand(),
  undo: async () => (await import("./commands/tidy.ts")).undoCommand(),
  learn: async () => (await import("./commands/learn.ts")).learnCommand(),
  status: async () => (await import("./commands/status.ts")).statusCommand(),
  check: async () => (await import("./commands/check.ts")).checkCommand(),
  ui: async () => (await import("./commands/serve.ts")).uiCommand(),
  demo: async () => (await import("./commands/demo.ts")).demoCommand(),
  help: async () => (await import("./commands/help.ts")).helpCommand(),
  import: async () => (await import("./commands/import-export.ts")).importCommand(),
  export: async () => (await import("./commands/import-export.ts")).exportCommand(),
  team: async () => (await import("./commands/team.ts")).teamCommand(),
  session: async () => (await import("./commands/session.ts")).sessionCommand(),
  memory: async () => (await import("./commands/memory.ts")).memoryCommand(),
  directive: async () => (await import("./commands/remember.ts")).directiveCommand(),
  merge: async () => (await import("./commands/tidy.ts")).mergeCommand(),
  archive: async () => (await import("./commands/tidy.ts")).archiveCommand(),
  summarize: async () => (await import("./commands/tidy.ts")).summarizeCommand(),
  scrub: async () => (await import("./commands/scrub.ts")).scrubCommand(),
  validate: async () => (await import("./commands/validate.ts")).validateCommand(),
  reindex: async () => (await import("./commands/check.ts")).reindexCommand(),
  "convert-memory": async () => (await import("./commands/convert-memory.ts")).convertMemoryCommand(),
  ingest: async () => (await import("./commands/learn.ts")).ingestCommand(),
  replay: async () => (await import("./commands/learn.ts")).replayCommand(),
  flush: async () => (await import("./commands/learn.ts")).flushCommand(),
  watch: async () => (await import("./commands/watch.ts")).watchCommand(),
  evaluate: async () => (await import("./commands/learn.ts")).evaluateCommand(),
  pin: async () => (await import("./commands/item.ts")).pinCommand(),
  policy: async () => (await import("./commands/learn.ts")).policyCommand(),
  pause: async () => (await import("./commands/learn.ts")).pauseCommand(),
  resume: async () => (await import("./commands/learn.ts")).resumeCommand(),
  stats: async () => (await import("./commands/status.ts")).statsCommand(),
  report: async () => (await import("./commands/report.ts")).reportCommand(),
  upgrade: async () => (await import("./commands/init.ts")).upgradeCommand(),
  schema: async () => (await import("./commands/convert-memory.ts")).schemaCommand(),
  view: async () => (await import("./commands/convert-memory.ts")).viewCommand(),
  completion: async () => (await import("./commands/completion.ts")).completionCommand(),
  mcp: async () => (await import("./commands/serve.ts")).mcpCommand(),
  hook: async () => (await import("./commands/hook.ts")).hookCommand(),
  "merge-driver": async () => (await import("./commands/tidy.ts")).mergeDriverCommand(),
}

/** Other names of commands: what users of git, gh and similar tools type first. */
const aliases: Record<string, string> = { why: "show", recent: "log", doctor: "check", health: "check" }

/** Words for which a better one is not a matter of spelling. */
const meanings: Record<string, string> = {
  serve: "ui, mcp or team serve",
  add: "remember",
  save: "remember",
  rule: "remember",
  note: "remember",
  rm: "forget",
  remove: "forget",
  delete: "forget",
  ls: "list",
  find: "search",
  history: "log",
  review: "inbox",
  uninstall: "disconnect",
  config: "help files",
}

/**
 * Builds the command line: only the named command if there is one, which is faster, else all. `report` receives its error texts, which may
 * repeat secrets from the command line.
 */
export async function makeProgram(name?: string, report: (text: string) => void = () => {}): Promise<Command> {
  const program = new Command("drey")
    .description("One memory for a team of coding agents.")
    .version(version, "-v, --version", "print the version")
    .helpCommand(false)
    .addHelpText(
      "after",
      `\nTopics: ${Object.keys(topics).join(", ")}. Run drey help TOPIC or drey COMMAND --help for details.`,
    )
    .enablePositionalOptions() // an option belongs to the command before it
    .showSuggestionAfterError(true)
    .exitOverride()
    .hook("preAction", (_, action) => requireUserForCommand(action))
  const known = name !== undefined && Object.hasOwn(aliases, name) ? aliases[name] : name
  const only = known !== undefined && Object.hasOwn(commands, known) ? commands[known] : undefined
  for (const load of only ? [only] : inOrderOfHelp()) {
    const command = await load()
    configureCommand(command, command.name(), report)
    program.addCommand(command.helpGroup(headingOf.get(command.name()) ?? "Commands:"))
  }
  formatHelp(program, "")
  return program.configureOutput({ writeErr: report })
}

/** For a word that means one of Drey's commands without being spelled like it. */
export function refuseOtherTools(typed = ""): void {
  if (!Object.hasOwn(meanings, typed)) return
  throw new DreyError(`unknown command '${typed}'`, { hint: `Did you mean drey ${meanings[typed]}?` })
}

/** In the order of the help's headings. */
function inOrderOfHelp(): (() => Promise<Command>)[] {
  const places = [...headingOf.keys()]
  const placeOf = (name: string) => (headingOf.has(name) ? places.indexOf(name) : places.length)
  const sorted = Object.entries(commands).sort(([one], [other]) => placeOf(one) - placeOf(other))
  return sorted.map(([, load]) => load)
}

/** Settings of every command: errors are thrown, so that one place decides the exit code. */
function configureCommand(command: Command, path: string, report: (text: string) => void): void {
  if (command.commands.length === 0) trustOnWrite(command, path)
  command.exitOverride().showSuggestionAfterError(true).helpCommand(false).configureOutput({ writeErr: report })
  formatHelp(command, path)
  for (const sub of command.commands) configureCommand(sub, `${path} ${sub.name()}`, report)
}

/** Commands that change the team's memory, and those that may create a team folder, by their full names. */
const writingCommands: Record<string, { writes: boolean; makes: boolean }> = {
  archive: { writes: true, makes: false },
  "convert-memory": { writes: true, makes: false },
  directive: { writes: true, makes: false },
  import: { writes: true, makes: true },
  "memory delete": { writes: true, makes: false },
  "memory promote": { writes: true, makes: false },
  "memory write": { writes: true, makes: false },
  merge: { writes: true, makes: false },
  scrub: { writes: true, makes: false },
  "session start": { writes: false, makes: true },
  summarize: { writes: true, makes: false },
  tidy: { writes: true, makes: false },
  undo: { writes: true, makes: false },
  upgrade: { writes: true, makes: false },
}

function trustOnWrite(command: Command, path: string): void {
  const kind = writingCommands[path]
  if (kind === undefined) return
  let afterwards: (() => Promise<void>) | undefined
  command
    .hook("preAction", async (_, called) => {
      const { watchForWrite } = await import("./trust-on-write.ts")
      afterwards = watchForWrite(kind, called.opts().root)
    })
    .hook("postAction", () => afterwards?.())
}

type Options = Record<string, unknown>

/** Commands that only the user may run, and with which options if not always. Agents may run all others. */
export const userOnlyCommands: Record<string, { what: string; when?: (options: Options) => boolean }> = {
  init: { what: "set up a repository", when: isReal },
  connect: { what: "connect coding agents", when: isReal },
  disconnect: { what: "disconnect coding agents", when: isReal },
  trust: { what: "trust a repository", when: ({ list }) => list !== true },
  merge: { what: "accept a proposal", when: ({ acceptReview, dryRun }) => acceptReview === true && dryRun !== true },
  watch: { what: "serve an editor, in which proposals are accepted", when: ({ stdio }) => stdio === true },
  undo: { what: "undo a change", when: (options) => isReal(options) && options.list !== true },
  forget: { what: "forget a memory" },
  edit: { what: "edit a memory" },
  "inbox accept": { what: "accept a proposal" },
  "inbox refuse": { what: "refuse a proposal" },
  "inbox edit": { what: "accept a proposal" },
  "inbox merge": { what: "accept a proposal" },
  pin: { what: "pin a memory" },
  "learn off": { what: "pause learning" },
  "learn on": { what: "resume learning" },
  pause: { what: "pause learning" },
  resume: { what: "resume learning" },
  ui: { what: "open the app, in which proposals are accepted" },
  "memory provider": { what: "change where memories are kept", when: changesProvider },
  import: { what: "import another team's files", when: (options) => isReal(options) && bringsRules(options) },
  "convert-memory": { what: "undo a conversion", when: ({ undo }) => undo !== undefined },
  check: { what: "repair the team folder", when: ({ fix }) => fix === true },
  scrub: { what: "remove what undo needs", when: ({ forget }) => forget === true },
  "session graduate": {
    what: "accept what a session leaves behind",
    when: ({ yes, only }) => yes === true || only !== undefined,
  },
  "team login": { what: "sign in to a team's server" },
  "team leave": { what: "leave a team's server" },
  "team share": { what: "share a memory" },
  "team unshare": { what: "withdraw a memory" },
  "team episodes": { what: "agree to send work to a team" },
}

/** Called before every command. An agent that its environment does not show may have been seen by a hook a moment ago. */
function requireUserForCommand(action: Command): void {
  const names = nameOf(action)
  if (names[0] === "hook") return // it acts for the user, and looks itself whether an agent has run it
  const noted = takeAgentRecord(process.env, names)
  if (noted !== undefined && actingAgent(process.env) === undefined) process.env.AI_AGENT = noted
  const rule = userOnlyCommands[names.join(" ")]
  if (rule === undefined || rule.when?.(action.opts()) === false) return
  requireUser(process.env, rule.what, `drey ${process.argv.slice(2).map(quoted).join(" ").slice(0, 200)}`)
}

/** Its name below those of the commands that hold it, without the program's. */
function nameOf(command: Command): string[] {
  return command.parent === null ? [] : [...nameOf(command.parent), command.name()]
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function isReal({ dryRun }: Options): boolean {
  return dryRun !== true
}

function changesProvider(options: Options): boolean {
  return Object.keys(options).some((name) => !["root", "json", "logLevel", "verbose", "actor"].includes(name))
}

/** Other tools' files become proposals; an export is imported unchanged, with its rules. */
function bringsRules({ force, merge, learned }: Options): boolean {
  return force === true || merge === true || learned === true
}
