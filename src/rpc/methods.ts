import { isAbsolute, relative, resolve, sep } from "node:path"
import type { Memories } from "../drey/memories.ts"
import type { Drey } from "../drey.ts"
import { omitUndefined } from "../formats/optional-fields.ts"
import type { HandedEvent } from "../learning/external-episode.ts"
import type { Frustration } from "../memories/episode.ts"
import type { NewText, Operation } from "../memories/writer.ts"
import { memoriesOf, memoryMethods } from "./memory-methods.ts"
import { type Projects, projectAt } from "./project-pool.ts"
import {
  type Methods,
  oneOf,
  optionalCount,
  optionalFlag,
  optionalRecord,
  optionalText,
  optionalTexts,
  type Params,
  RpcError,
  recordsOf,
  rpcCodes,
  textOf,
} from "./protocol.ts"

export type MethodParts = {
  projects: Projects
  /** The project that the service was started in. */
  drey: Drey
  learning: Memories
  state: ServiceState
  stop: () => void
}

/** Everything that can be asked for on the socket. */
export function allMethods({ projects, drey, learning, state, stop }: MethodParts): Methods {
  const methods: Methods = {
    ...contextMethods(projects, drey),
    ...memoryMethods(projects, learning),
    ...episodeMethods(projects),
    ...serviceMethods(projects, learning, { state, stop }),
  }
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, (params) => projects.serving(() => method(params))]),
  )
}

export type ServiceState = { pid: number; socket: string; started: string }

/** Methods about the service itself. */
function serviceMethods(
  projects: Projects,
  own: Memories,
  { state, stop }: { state: ServiceState; stop: () => void },
): Methods {
  return {
    async flush(params) {
      const { learning } = await projectAt(projects, params)
      await learning.ingest() // what was said since the last look belongs to the task
      const { episodes, learned, paused } = await learning.flush()
      return { episodes, outcomes: learned.outcomes, postponed: learned.postponed, paused: paused.length > 0 }
    },

    async status(params) {
      const listed = await own.transcripts.projects()
      const asked = "project_root" in params ? await projectAt(projects, params) : undefined
      return {
        ...state,
        projects: listed.map(({ id, root }) => ({ id, root })),
        paused: (await (asked?.learning ?? own).transcripts.activePause()) ?? null,
        ...(asked ? { project: await asked.learning.status() } : {}),
      }
    },

    async reload_policy(params) {
      const { files, warnings } = await own.policy() // the watch goes by it from now on
      projects.reload()
      if (!("project_root" in params)) return { reloaded: true, files, warnings }
      const asked = await (await projectAt(projects, params)).learning.policy()
      return { reloaded: true, files: asked.files, warnings: asked.warnings }
    },

    async shutdown() {
      setImmediate(stop) // the answer goes out first
      return { stopping: true }
    },
  }
}

const defaultBudget = 400
const mostTokens = 100_000

/** What an agent is handed, and what it says of it afterwards. */
function contextMethods(projects: Projects, own: Drey): Methods {
  return {
    async get_task_context(params) {
      const { drey } = await projectAt(projects, params)
      const { context } = await drey.context.build({
        task: taskOf(params),
        agent: optionalText(params, "agent"),
        budget: optionalCount(params, "context_budget_tokens", 1, mostTokens) ?? defaultBudget,
        paths: pathsOf(params, drey.root),
        session: optionalText(params, "session_id"),
      })
      const isLearned = ({ source }: { source: string }) => source === "learned"
      return {
        context_prompt: context.text,
        memory_ids: context.included.filter(isLearned).map(({ id }) => id),
        entry_ids: context.included.filter((item) => !isLearned(item)).map(({ id }) => id),
        dropped_ids: context.left.map(({ id }) => id),
        task_id: context.taskId,
        tokens: context.tokens,
      }
    },

    async compose_context(params) {
      const task = taskOf(params)
      const memories = memoriesOf(params, "memories")
      const budget = optionalCount(params, "token_budget", 1, mostTokens) ?? defaultBudget
      const { text, used } = await own.context.compose({ task, memories, budget })
      return { context_prompt: text, used_memory_ids: used }
    },

    async report_outcome(params) {
      const { learning } = await projectAt(projects, params)
      const helped = optionalTexts(params, "helped_memory_ids") ?? []
      const wrong = optionalTexts(params, "wrong_memory_ids") ?? []
      for (const id of [...helped, ...wrong]) {
        if ((await learning.find(id)).length !== 1)
          throw new RpcError(rpcCodes.noSuchMemory, `no memory has the id ${id.slice(0, 80)}`)
      }
      const task = optionalText(params, "task_id")
      const session = optionalText(params, "session_id")
      const note = optionalText(params, "note")
      await learning.reportOutcome({
        outcome: oneOf(params, "outcome", ["success", "failure", "partial"]),
        helped,
        wrong,
        ...omitUndefined({ task, session, note }),
      })
      return { recorded: true }
    },
  }
}

function taskOf(params: Params): string {
  const task = textOf(params, "task")
  if (task.trim() === "") throw new RpcError(rpcCodes.emptyTask, "the task is empty")
  return task
}

/** The files that the task is about and the folder it is done in, from the root of the project; what lies outside says nothing here. */
function pathsOf(params: Params, root: string): string[] {
  const cwd = optionalText(params, "cwd")
  const named = optionalTexts(params, "paths") ?? []
  return [...named, ...(cwd === undefined ? [] : [cwd])]
    .map((path) => relative(root, resolve(root, path)))
    .filter((path) => path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path))
    .map((path) => path.split(sep).join("/"))
}

const mostEvents = 2000

/** Runs the writer on the caller's episode; nothing is stored. */
function episodeMethods(projects: Projects): Methods {
  return {
    async ingest_episode(params) {
      const id = textOf(params, "episode_id")
      const summary = optionalRecord(params, "episode_summary") ?? {}
      const events = recordsOf({ events: [], ...summary }, "events").map(toEvent)
      if (events.length === 0) throw new RpcError(rpcCodes.emptyEpisode, "the episode has no events")
      if (events.length > mostEvents)
        throw new RpcError(rpcCodes.badParams, `an episode has at most ${mostEvents} events`)
      const project = await projects.byId(textOf(params, "project_id"))
      if (!project) throw new RpcError(rpcCodes.noSuchProject, "Drey knows no project with this id")
      if (await project.learning.transcripts.activePause()) throw new RpcError(rpcCodes.refused, "learning is paused")
      const hints = optionalRecord(params, "policy_hints") ?? {}
      const { answer, episode } = await project.learning.writer.write({
        id,
        events,
        known: memoriesOf({ recent_memories: [], ...params }, "recent_memories"),
        mostMemories: optionalCount(hints, "max_memories", 1, 10),
      })
      if (answer.kind !== "written") throw new RpcError(rpcCodes.writerFailed, answer.reason)
      const { operations, discardReason } = answer
      const shown = operations.flatMap((each) => (each.op === "DEPRECATE" ? [] : [each.evidence]))[0]
      return {
        ops: operations.map(toOperation),
        episode_evidence: {
          episode_id: id,
          source: shown?.source ?? null,
          frustration: episode.stats.user_frustration satisfies Frustration,
        },
        ...(discardReason === undefined ? {} : { discard_reason: discardReason }),
      }
    },
  }
}

function toEvent(given: Params): HandedEvent {
  const snippet = optionalText(given, "raw_snippet")
  return {
    role: oneOf(given, "role", ["user", "assistant", "tool"]),
    kind: oneOf(given, "kind", ["message", "tool_call", "tool_result"]),
    text: [textOf(given, "summary"), ...(snippet === undefined ? [] : [snippet])].join("\n"),
    ts: optionalText(given, "ts"),
    tool: optionalText(given, "tool_name"),
    file: optionalText(given, "file"),
    command: optionalText(given, "command"),
    isError: optionalFlag(given, "is_error"),
    exitCode: optionalCount(given, "exit_code", -0x80000000, 0xffffffff),
  }
}

function toOperation(operation: Operation): object {
  if (operation.op === "DEPRECATE")
    return { op: "DEPRECATE", target_memory_id: operation.target, reason: operation.reason }
  const target = operation.op === "UPDATE" ? { target_memory_id: operation.target ?? null } : {}
  return { op: operation.op, ...target, ...toNewText(operation) }
}

function toNewText({ scope, pathPrefix, owner, kind, tier, polarity, key, text, ttlDays, ...rest }: NewText): object {
  const { confidence, evidence } = rest
  return {
    scope,
    ...(pathPrefix === undefined ? {} : { path_prefix: pathPrefix }),
    owner_type: owner.type,
    owner_id: owner.id,
    kind,
    tier,
    polarity,
    ...(key === undefined ? {} : { key }),
    text,
    ...(ttlDays === undefined ? {} : { ttl_days: ttlDays }), // null says: none; nothing: the tier's own
    confidence,
    evidence: { source: evidence.source, frustration: evidence.frustration },
  }
}
