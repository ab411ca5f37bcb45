import { type Drey, openDrey } from "../drey.ts"
import { DreyError } from "../errors.ts"
import { quote } from "../formats/text.ts"
import { getTaskContext, reportOutcome } from "./context-calls.ts"
import {
  memoryAudit,
  memoryClassify,
  memoryDelete,
  memoryPromote,
  memoryRead,
  memorySearch,
  memoryWrite,
  recent,
} from "./memory-calls.ts"
import { askTeamKnowledge, listResources, type Resource, readResource } from "./resources.ts"
import { sessionRecall, sessionRecord } from "./session-calls.ts"
import {
  memoryArchive,
  squadDecide,
  squadStateAppend,
  squadStateDelete,
  squadStateHealth,
  squadStateList,
  squadStateRead,
  squadStateWrite,
} from "./squad-calls.ts"
import { type ArgumentsOf, readArguments, type ToolAnswer, type ToolCallContext, untrustedNotice } from "./tool.ts"
import { allTools, type SquadToolName, squadTools, type ToolName } from "./tools.ts"

/** The caller: candidate project folders, the likeliest first, and the rest of a call. */
export type McpCaller = Omit<ToolCallContext, "drey"> & { folders: readonly string[] }

/** The result of a call; an error has a text that is safe to show. */
export type Outcome<Result> = { kind: "answer"; answer: Result } | { kind: "trouble"; text: string }

/** Everything that needs the project. Loaded with the first call: a server whose tools are only listed opens nothing. */
export type Calls = {
  callTool(
    name: ToolName | SquadToolName,
    given: Record<string, unknown>,
    caller: McpCaller,
  ): Promise<Outcome<ToolAnswer>>
  listResources(caller: McpCaller): Promise<Outcome<Resource[]>>
  readResource(uri: string, caller: McpCaller): Promise<Outcome<{ text: string; mimeType: string } | undefined>>
  askTeamKnowledge(topic: string, caller: McpCaller): Promise<Outcome<string>>
  close(): Promise<void>
}

type CallSurroundings = { environment: NodeJS.ProcessEnv; warn: (message: string) => void }

export function openCalls(surroundings: CallSurroundings): Calls {
  const opened = new Map<string, Drey>()
  const ask = async <Result>(
    { folders, ...caller }: McpCaller,
    question: (call: ToolCallContext) => Promise<Result>,
  ): Promise<Outcome<Result>> => {
    try {
      return { kind: "answer", answer: await question({ ...caller, drey: projectOf(folders, opened, surroundings) }) }
    } catch (error) {
      return { kind: "trouble", text: explain(error, surroundings) }
    }
  }
  return {
    async callTool(name, given, caller) {
      const outcome = await ask(caller, async (call) => {
        const answer = await tools[name](given, call)
        return quotes.has(name) && (await isUntrusted(call)) ? marked(answer) : answer
      })
      if (outcome.kind === "trouble") return { ...outcome, text: withoutArguments(outcome.text, given) }
      const { answer } = outcome
      return answer.isError
        ? { ...outcome, answer: { ...answer, text: withoutArguments(answer.text, given) } }
        : outcome
    },
    listResources: (caller) => ask(caller, listResources),
    readResource: (uri, caller) =>
      ask(caller, async (call) => {
        const found = await readResource(uri, call)
        return found && (await isUntrusted(call)) ? { ...found, ...marked({ text: quote(found.text) }) } : found
      }),
    askTeamKnowledge: (topic, caller) => ask(caller, (call) => askTeamKnowledge(topic, call)),
    async close() {
      for (const drey of opened.values()) await drey.close()
      opened.clear()
    },
  }
}

/** Tools that return content of the repository's files outside a context. */
const quotes = new Set<ToolName | SquadToolName>([
  "memory_search",
  "memory_read",
  "recent",
  "session_recall",
  "memory_audit",
  "squad_state_read",
  "squad_state_list",
])

async function isUntrusted({ drey }: ToolCallContext): Promise<boolean> {
  return (await drey.team.trust()).kind !== "trusted"
}

function marked<Result extends ToolAnswer>(answer: Result): Result {
  return { ...answer, text: `${untrustedNotice}\n\n${answer.text}` }
}

/** A refusal must not repeat its input: an agent may have passed a secret as an id. Well-formed ids and keys are kept. */
function withoutArguments(text: string, given: Record<string, unknown>): string {
  const values = Object.values(given)
    .flat()
    .flatMap((value) => (typeof value === "string" ? [value.trim(), value.replace(/^\w+:/, "").trim()] : [])) // agent:NAME
    .filter((value) => value.length >= shortestSecret && !usualForm.test(value))
  // Some messages truncate what they repeat.
  const pieces = values.flatMap((value) => [value, value.slice(0, 200), value.slice(0, 80), value.slice(0, 40)])
  return pieces.reduce((rest, piece) => rest.replaceAll(piece, "[…]"), text)
}

const shortestSecret = 6
const usualForm =
  /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?:m[:-]|sem-)[0-9a-f]{4,40}|\d{8}-\d{4,6}[0-9a-z-]{0,80}|[a-z]{1,20}|[A-Z_]{1,20}|(?:[a-z][a-z-]{0,40}\/){1,4}[\w.-]{1,80}\.(?:md|json|ya?ml|txt|log))$/

/** User errors are shown; the message of a bug may quote anything, so it only goes to the log. */
function explain(error: unknown, { environment, warn }: CallSurroundings): string {
  if (error instanceof DreyError) return error.hint === undefined ? error.message : `${error.message}\n${error.hint}`
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
  warn(`internal error: ${environment.DREY_DEBUG === "1" ? stack : message}`)
  return "Internal error in Drey; see stderr of the server, with DREY_DEBUG=1 for the stack trace."
}

/** The first folder with a team folder, else the first. A project is opened once, but searched again until it has a team folder. */
function projectOf(folders: readonly string[], opened: Map<string, Drey>, surroundings: CallSurroundings): Drey {
  let first: Drey | DreyError | undefined
  for (const folder of folders) {
    const known = opened.get(folder)
    if (known) return known
    try {
      const drey = openDrey({ root: folder, automatic: true, ...surroundings })
      const same = [...opened.values()].find(({ root }) => root === drey.root) ?? drey
      if (same.hasTeamFolder) opened.set(folder, same)
      if (same.hasTeamFolder) return same
      first ??= drey
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      first ??= error // such as a missing folder; another may work
    }
  }
  if (first === undefined || first instanceof Error) throw first ?? new DreyError("No project found")
  return first
}

type ToolHandler = (given: Record<string, unknown>, call: ToolCallContext) => Promise<ToolAnswer>

const tools: Record<ToolName | SquadToolName, ToolHandler> = {
  get_task_context: reading(allTools.get_task_context, getTaskContext),
  report_outcome: reading(allTools.report_outcome, reportOutcome),
  memory_classify: reading(allTools.memory_classify, memoryClassify),
  memory_write: reading(allTools.memory_write, memoryWrite),
  memory_search: reading(allTools.memory_search, memorySearch),
  memory_read: reading(allTools.memory_read, memoryRead),
  memory_promote: reading(allTools.memory_promote, memoryPromote),
  memory_delete: reading(allTools.memory_delete, memoryDelete),
  memory_audit: reading(allTools.memory_audit, memoryAudit),
  recent: reading(allTools.recent, recent),
  session_record: reading(allTools.session_record, sessionRecord),
  session_recall: reading(allTools.session_recall, sessionRecall),
  squad_decide: reading(squadTools.squad_decide, squadDecide),
  squad_state_read: reading(squadTools.squad_state_read, squadStateRead),
  squad_state_write: reading(squadTools.squad_state_write, squadStateWrite),
  squad_state_append: reading(squadTools.squad_state_append, squadStateAppend),
  squad_state_delete: reading(squadTools.squad_state_delete, squadStateDelete),
  squad_state_list: reading(squadTools.squad_state_list, squadStateList),
  squad_state_health: reading(squadTools.squad_state_health, squadStateHealth),
  memory_archive: reading(squadTools.memory_archive, memoryArchive),
}

/** Parses a tool's arguments, then calls it. */
function reading<Tool extends (typeof allTools)[ToolName] | (typeof squadTools)[SquadToolName]>(
  tool: Tool,
  answer: (given: ArgumentsOf<Tool["inputSchema"]>, call: ToolCallContext) => Promise<ToolAnswer>,
): ToolHandler {
  return async (given, call) => answer(readArguments(tool, given) as ArgumentsOf<Tool["inputSchema"]>, call)
}
