import { readFile } from "node:fs/promises"
import { type Command, Option } from "commander"
import { openDrey } from "../../drey.ts"
import { DreyError } from "../../errors.ts"
import { omitUndefined } from "../../formats/objects.ts"
import type { Impact, Importance } from "../../formats/session/agent-memory.ts"
import { decisionTypes, discoveryTypes, impacts, importances, stepStatuses } from "../../formats/session/session-id.ts"
import type { PlanStep } from "../../formats/session/sibling-schemas.ts"
import { didYouMean } from "../../formats/text.ts"
import type { ContextChanges, ContextList } from "../../sessions/session-api.ts"
import { parseCount } from "../option-values.ts"
import { colors } from "../output.ts"
import { print, printNotice } from "../print.ts"
import {
  agentOf,
  collect,
  openSession,
  printNew,
  readText,
  rejectTypo,
  requireAgent,
  requireContent,
  type SessionOptions,
  sessionOf,
  sessionSubcommand,
  writingSubcommand,
} from "./session-options.ts"
import { contextText, sessionPlanText } from "./session-output.ts"

type Options = SessionOptions & {
  type: string
  importance?: Importance
  summary?: string
  file?: string[]
  actionItem?: string[]
}

export function sessionDiscoverCommand(): Command {
  return writingSubcommand(
    "discover",
    "Record an agent's discovery about the code or the task.",
    'drey session discover "Mails leave through one queue, with one attachment each" --type code_pattern --file src/mail/queue.ts\ncat notes.txt | drey session discover --type failure_cause --importance critical --summary "The queue drops mails over 5 MB"',
  )
    .argument("[content]", 'the discovery; from stdin if "-" or missing')
    .requiredOption("--type <type>", discoveryTypes.join(", "))
    .addOption(new Option("--importance <importance>", "default: medium").choices(importances))
    .option("--summary <line>", "the line that prompts show; default: its first line")
    .option("--file <path>", "a related file; repeatable", collect)
    .option("--action-item <text>", "a follow-up task; repeatable", collect)
    .action(discover)
}

async function discover(written: string | undefined, options: Options): Promise<void> {
  rejectTypo(options.type, discoveryTypes, "type of discovery")
  const content = await requireContent(written, "discovery")
  const session = await openSession(options)
  const agent = await requireAgent(session, options)
  const { type, importance, summary, file: relatedFiles, actionItem: actionItems } = options
  const discovery = { type, content, ...omitUndefined({ importance, summary, relatedFiles, actionItems }) }
  printNew(options, session, agent, await session.addDiscovery(agent, discovery))
}

type OptionsDecide = SessionOptions & {
  type: string
  reasoning?: string
  alternative?: string[]
  impact?: Impact
  reversible?: true
  irreversible?: true
  discovery?: string[]
  attempt?: string[]
}

export function sessionDecideCommand(): Command {
  return writingSubcommand(
    "decide",
    "Record an agent's decision, with its reasons.",
    'drey session decide "Draw the PDF with pdf-lib" --type architectural --impact high --discovery discovery-002 --alternative "Chromium: not in the image"',
  )
    .argument("[description]", 'the decision; from stdin if "-" or missing')
    .requiredOption("--type <type>", decisionTypes.join(", "))
    .option("--reasoning <text>", "why")
    .option("--alternative <name: reason>", "a rejected alternative, and why; repeatable", collect)
    .addOption(new Option("--impact <impact>", "how far it reaches").choices(impacts))
    .option("--reversible", "the decision can be reversed")
    .addOption(new Option("--irreversible", "it cannot").conflicts("reversible"))
    .option("--discovery <id>", "a discovery it is based on, as id or agent/id; repeatable", collect)
    .option("--attempt <id>", "an attempt it is based on, as id or agent/id; repeatable", collect)
    .action(decide)
}

async function decide(written: string | undefined, options: OptionsDecide): Promise<void> {
  rejectTypo(options.type, decisionTypes, "type of decision")
  const description = await requireContent(written, "decision")
  const session = await openSession(options)
  const agent = await requireAgent(session, options)
  const { type, reasoning, impact, discovery: relatedDiscoveries, attempt: relatedAttempts } = options
  const alternatives = options.alternative?.map(readAlternative)
  const reversible = options.irreversible ? false : options.reversible
  const more = omitUndefined({ reasoning, alternatives, impact, reversible, relatedDiscoveries, relatedAttempts })
  printNew(options, session, agent, await session.addDecision(agent, { type, description, ...more }))
}

/** `Chromium: not in the image`. */
function readAlternative(written: string): { name: string; reason: string } {
  const [name = "", ...rest] = written.split(": ")
  return { name: name.trim(), reason: rest.join(": ").trim() }
}

type OptionsContext = SessionOptions & { set?: string[]; add?: string[]; remove?: string[] }

const lists: readonly ContextList[] = ["constraints", "openQuestions", "nextSteps", "blockers", "assumptions"]

export function sessionContextCommand(): Command {
  return writingSubcommand(
    "context",
    "Show or change an agent's working context: plan step, files in scope, constraints, open questions, blockers.",
    'drey session context\ndrey session context --set currentPlanStep=2 --add "blockers=The test database is down" --remove "openQuestions=Which port?"',
  )
    .option("--set <key=value>", "set a field to a text or JSON value; an empty value removes it; repeatable", collect)
    .option("--add <list=text>", `add to ${lists.join(", ")}; repeatable`, collect)
    .option("--remove <list=text>", "remove a matching text from one of these lists; repeatable", collect)
    .action(showOrChange)
}

async function showOrChange(options: OptionsContext): Promise<void> {
  const changes: ContextChanges = {
    set: Object.fromEntries((options.set ?? []).map((pair) => splitPair(pair, "key=value")).map(readValue)),
    add: groupByList(options.add ?? []),
    remove: groupByList(options.remove ?? []),
  }
  const hasChanges = Object.values(changes).some((part) => Object.keys(part).length > 0)
  const session = await openSession(options)
  const agent = await requireAgent(session, options)
  const context = hasChanges
    ? await session.updateContext(agent, changes)
    : (await session.memories()).get(agent)?.context
  print(
    options,
    () => ({ agent, session: session.id, context: context ?? {} }),
    () => contextText(agent, context),
  )
}

function splitPair(pair: string, form: string): [key: string, value: string] {
  const at = pair.indexOf("=")
  if (at > 0) return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
  throw new DreyError(`"${pair}" is not ${form}`, {
    hint: 'For example: --set currentPlanStep=2 or --add "blockers=The database is down".',
  })
}

/** A number, `true`, a list or a map if written as one in JSON; otherwise text. */
function readValue([key, value]: [string, string]): [string, unknown] {
  if (value === "") return [key, null] // removes the field
  try {
    return [key, JSON.parse(value)]
  } catch {
    return [key, value] // not JSON, so it is plain text
  }
}

function groupByList(pairs: readonly string[]): Partial<Record<ContextList, string[]>> {
  const groups: Partial<Record<ContextList, string[]>> = {}
  for (const pair of pairs) {
    const [name, text] = splitPair(pair, "list=text")
    const list = requireList(name)
    groups[list] = [...(groups[list] ?? []), text]
  }
  return groups
}

function requireList(name: string): ContextList {
  const list = lists.find((each) => each === name)
  if (list) return list
  const meant = didYouMean(name, lists)
  throw new DreyError(`"${name}" is not a list of the context`, {
    hint: meant === undefined ? `Its lists are ${lists.join(", ")}.` : `Did you mean ${meant}?`,
  })
}

type OptionsPlan = SessionOptions & { stepDescription?: string[]; file?: string; status?: string[] }

export function sessionPlanCommand(): Command {
  return writingSubcommand(
    "plan",
    "Show the plan, write a new version, or update the status of its steps.",
    'drey session plan --step-description "Draw the PDF" --step-description "Attach it to the mail"\ndrey session plan --status 1=complete --status 2=in_progress',
  )
    .option("--step-description <text>", "a step of a new version, in order; repeatable", collect)
    .option("--file <file>", "a new version from a JSON or YAML file with a list of `steps`")
    .option("--status <step=status>", `${stepStatuses.join(", ")}; repeatable`, collect)
    .action(showOrChangePlan)
}

async function showOrChangePlan(options: OptionsPlan): Promise<void> {
  if (options.file !== undefined && options.stepDescription !== undefined)
    throw new DreyError("--file and --step-description cannot be combined")
  const statuses = readStatuses(options.status ?? [])
  const written = options.file === undefined ? stepsOf(options.stepDescription) : await readPlan(options.file)
  const session = await openSession(options)
  const version = written && { ...written, ...omitUndefined({ createdBy: agentOf(options) }) }
  const isChanged = version !== undefined || statuses.length > 0
  const plan = isChanged
    ? await session.plan.update({ steps: statuses, ...omitUndefined({ version }) })
    : await session.plan.read()
  print(
    options,
    () => ({ session: session.id, plan: plan ?? null }),
    () => (plan ? sessionPlanText(plan) : `${session.id} has no plan yet.`),
  )
}

function stepsOf(descriptions: readonly string[] | undefined) {
  return descriptions && { steps: descriptions.map((description) => ({ description })) }
}

async function readPlan(path: string) {
  const { readNewPlan } = await import("../../formats/session/sibling-file.ts")
  const reading = readNewPlan(await readFile(path, "utf8").catch(cannotRead(path)))
  if (reading.kind === "plan") return reading.plan
  const { line, column, message } = reading.problem
  throw new DreyError(`${path}:${line}:${column} is not a plan: ${message}`, {
    hint: "The file needs a list `steps:`; each step is a text or a map with a `description`.",
  })
}

function cannotRead(path: string) {
  return (cause: NodeJS.ErrnoException): never => {
    throw new DreyError(
      cause.code === "ENOENT" ? `${path} does not exist` : `${path} cannot be read: ${cause.message}`,
      {
        cause,
      },
    )
  }
}

function readStatuses(pairs: readonly string[]): { step: number; status: PlanStep["status"] }[] {
  return pairs.map((pair) => {
    const [step = "", name = ""] = pair.split("=")
    const status = stepStatuses.find((each) => each === name)
    if (status) return { step: parseCount(step, "a step", 1, 100_000), status }
    throw new DreyError(`"${pair}" is not a step status`, {
      hint: `For example: --status 2=complete. A step is ${stepStatuses.join(", ")}.`,
    })
  })
}

type OptionsSay = SessionOptions & { role: string }

export function sessionSayCommand(): Command {
  return writingSubcommand(
    "say",
    "Add a message to the session's conversation.",
    'drey session say "A4, please" --role user\ndrey session say --role assistant --agent developer < answer.txt',
  )
    .argument("[content...]", 'the message; from stdin if "-" or missing')
    .requiredOption("--role <role>", "who spoke: user, assistant, system, tool")
    .action(say)
}

async function say(words: string[], options: OptionsSay): Promise<void> {
  const content = await requireContent(words.length > 0 ? words.join(" ") : undefined, "message")
  const session = await openSession(options)
  const message = await session.addMessage({
    role: options.role,
    content,
    ...omitUndefined({ agent: agentOf(options) }),
  })
  print(
    options,
    () => ({ ...message, session: session.id }),
    () => message.id,
  )
  if (!options.json) printNotice(colors.dim(`Added to ${session.id}`))
}

type OptionsPrompt = SessionOptions & { headingLevel: "2" | "3"; own?: boolean }

export function sessionPromptCommand(): Command {
  return sessionSubcommand(
    "prompt",
    "Print an agent's prompt followed by this session's memory: key discoveries, failures and the task's status. Includes failures and important findings of the other agents.",
    'drey session prompt --agent tester < prompts/tester.md\ndrey session prompt "You are the tester." --agent tester --heading-level 3',
  )
    .argument("[prompt...]", 'the agent\'s own prompt; from stdin if "-" or missing; may be empty')
    .addOption(new Option("--heading-level <level>", "of the headings").choices(["2", "3"]).default("2"))
    .option("--own", "only this agent's own notes")
    .action(printPrompt)
}

async function printPrompt(words: string[], options: OptionsPrompt): Promise<void> {
  const prompt = await readText(words.length > 0 ? words.join(" ") : undefined)
  const headingLevel = options.headingLevel === "3" ? 3 : 2
  const request = {
    prompt,
    headingLevel,
    own: options.own === true,
    ...omitUndefined({ agent: agentOf(options) }),
  } as const
  const built = await openDrey(options).sessions.agentPrompt(sessionOf(options), request)
  print(
    options,
    () => built,
    () => built.text,
  )
}

type OptionsArbiter = SessionOptions & { approach?: string; topic?: string }

export function sessionArbiterCommand(): Command {
  return sessionSubcommand(
    "arbiter",
    "Print a briefing for choosing the next agent: each agent's last attempt, and recurring errors. With --approach also similar failed attempts, with --topic related discoveries.",
    'drey session arbiter "Who should continue?"\ndrey session arbiter --approach "Render the PDF in Chromium" --topic "mail queue"',
  )
    .argument("[input...]", 'the question; from stdin if "-" or missing; may be empty')
    .option("--approach <text>", "an approach under consideration")
    .option("--topic <text>", "a topic that agents may already have discoveries about")
    .action(printBrief)
}

async function printBrief(words: string[], options: OptionsArbiter): Promise<void> {
  const prompt = await readText(words.length > 0 ? words.join(" ") : undefined)
  const { approach, topic } = options
  const request = { prompt, ...omitUndefined({ approach, topic }) }
  const built = await openDrey(options).sessions.arbiterPrompt(sessionOf(options), request)
  print(
    options,
    () => built,
    () => built.text,
  )
}
