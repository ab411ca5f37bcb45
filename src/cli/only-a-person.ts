import type { Command } from "commander"
import { actingAgent, requirePerson, takeAgentNote } from "../agent.ts"

type Options = Record<string, unknown>

/** Commands that only the user may run, and with which options if not always. Agents may run all others. */
export const onlyAPerson: Record<string, { what: string; when?: (options: Options) => boolean }> = {
  init: { what: "set up a repository", when: isReal },
  connect: { what: "connect coding agents", when: isReal },
  disconnect: { what: "disconnect coding agents", when: isReal },
  trust: { what: "trust a repository", when: ({ list }) => list !== true },
  merge: { what: "accept a proposal", when: ({ acceptReview, dryRun }) => acceptReview === true && dryRun !== true },
  undo: { what: "undo a change", when: (options) => isReal(options) && options.list !== true },
  forget: { what: "forget a memory" },
  pin: { what: "pin a memory" },
  pause: { what: "pause learning" },
  resume: { what: "resume learning" },
  ui: { what: "open the app, in which proposals are accepted" },
  "memory provider": { what: "change where memories are kept", when: changesProvider },
  import: { what: "import another team's files", when: (options) => isReal(options) && bringsRules(options) },
  "convert-memory": { what: "undo a conversion", when: ({ undo }) => undo !== undefined },
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
export function checkPerson(action: Command): void {
  const names = nameOf(action)
  if (names[0] === "hook") return // it acts for the user, and looks itself whether an agent has run it
  const noted = takeAgentNote(process.env, names)
  if (noted !== undefined && actingAgent(process.env) === undefined) process.env.AI_AGENT = noted
  const rule = onlyAPerson[names.join(" ")]
  if (rule === undefined || rule.when?.(action.opts()) === false) return
  requirePerson(process.env, rule.what, `drey ${process.argv.slice(2).map(quoted).join(" ").slice(0, 200)}`)
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

/** What other tools wrote becomes proposals; an export comes in as it is, with its rules. */
function bringsRules({ force, merge, learned }: Options): boolean {
  return force === true || merge === true || learned === true
}
