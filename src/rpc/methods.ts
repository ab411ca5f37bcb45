import { isAbsolute, relative, resolve, sep } from "node:path"
import { z } from "zod"
import type { Memories } from "../drey/memories.ts"
import type { Drey } from "../drey.ts"
import { omitUndefined } from "../formats/objects.ts"
import type { HandedEvent } from "../learning/external-episode.ts"
import type { Frustration } from "../memories/episode.ts"
import type { NewText, Operation } from "../memories/writer.ts"
import { memoryMethods } from "./memory-methods.ts"
import { count, fields, flag, memories, parseParams, projectRoot, text, texts, word } from "./params.ts"
import type { Projects } from "./project-pool.ts"
import { type Methods, RpcError, rpcCodes } from "./protocol.ts"

export type MethodParts = {
  projects: Projects
  /** The project that the service was started in. */
  drey: Drey
  learning: Memories
  state: ServiceState
  stop: () => void
}

/** All methods of the socket. */
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

const inProject = fields({ project_root: projectRoot })
const mayNameProject = inProject.partial()

/** Methods about the service itself. */
function serviceMethods(
  projects: Projects,
  own: Memories,
  { state, stop }: { state: ServiceState; stop: () => void },
): Methods {
  return {
    async flush(params) {
      const { learning } = await projects.at(parseParams(inProject, params).project_root)
      await learning.ingest() // messages since the last poll belong to the task
      const { episodes, learned, paused } = await learning.flush()
      return { episodes, outcomes: learned.outcomes, postponed: learned.postponed, paused: paused.length > 0 }
    },

    async status(params) {
      const listed = await own.transcripts.projects()
      const { project_root: root } = parseParams(mayNameProject, params)
      const asked = root === undefined ? undefined : await projects.at(root)
      return {
        ...state,
        projects: listed.map(({ id, root }) => ({ id, root })),
        paused: (await (asked?.learning ?? own).transcripts.activePause()) ?? null,
        ...(asked ? { project: await asked.learning.status() } : {}),
      }
    },

    async reload_policy(params) {
      const { project_root: root } = parseParams(mayNameProject, params)
      const { files, warnings } = await own.policy() // the watch goes by it from now on
      projects.reload()
      if (root === undefined) return { reloaded: true, files, warnings }
      const asked = await (await projects.at(root)).learning.policy()
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

const contextParams = inProject.extend({
  task: text,
  agent: text.optional(),
  context_budget_tokens: count(1, mostTokens).default(defaultBudget),
  paths: texts.default([]),
  cwd: text.optional(),
  session_id: text.optional(),
})

const composeParams = fields({ task: text, memories, token_budget: count(1, mostTokens).default(defaultBudget) })

const outcomeParams = inProject.extend({
  outcome: word(["success", "failure", "partial"]),
  helped_memory_ids: texts.default([]),
  wrong_memory_ids: texts.default([]),
  task_id: text.optional(),
  session_id: text.optional(),
  note: text.optional(),
})

/** An agent's context, and its feedback on it. */
function contextMethods(projects: Projects, own: Drey): Methods {
  return {
    async get_task_context(params) {
      const { project_root, task, agent, paths, cwd, ...given } = parseParams(contextParams, params)
      const { drey } = await projects.at(project_root)
      const { context } = await drey.context.build({
        task: requireTask(task),
        agent,
        budget: given.context_budget_tokens,
        paths: pathsFrom(drey.root, cwd === undefined ? paths : [...paths, cwd]),
        session: given.session_id,
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
      const { task, memories, token_budget: budget } = parseParams(composeParams, params)
      const { text, used } = await own.context.compose({ task: requireTask(task), memories, budget })
      return { context_prompt: text, used_memory_ids: used }
    },

    async report_outcome(params) {
      const { project_root, outcome, note, ...given } = parseParams(outcomeParams, params)
      const { helped_memory_ids: helped, wrong_memory_ids: wrong, task_id: task, session_id: session } = given
      const { learning } = await projects.at(project_root)
      for (const id of [...helped, ...wrong]) {
        if ((await learning.find(id)).length !== 1)
          throw new RpcError(rpcCodes.noSuchMemory, `no memory has the id ${id.slice(0, 80)}`)
      }
      await learning.reportOutcome({ outcome, helped, wrong, ...omitUndefined({ task, session, note }) })
      return { recorded: true }
    },
  }
}

function requireTask(task: string): string {
  if (task.trim() === "") throw new RpcError(rpcCodes.emptyTask, "the task is empty")
  return task
}

/** The files that the task is about and the folder it is done in, from the root of the project; paths outside it are dropped. */
function pathsFrom(root: string, paths: readonly string[]): string[] {
  return paths
    .map((path) => relative(root, resolve(root, path)))
    .filter((path) => path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path))
    .map((path) => path.split(sep).join("/"))
}

const mostEvents = 2000

const eventParams = fields({
  role: word(["user", "assistant", "tool"]),
  kind: word(["message", "tool_call", "tool_result"]),
  summary: text,
  raw_snippet: text.optional(),
  ts: text.optional(),
  tool_name: text.optional(),
  file: text.optional(),
  command: text.optional(),
  is_error: flag.optional(),
  exit_code: count(-0x80000000, 0xffffffff).optional(),
})

const episodeParams = fields({
  episode_id: text,
  project_id: text,
  episode_summary: fields({
    events: z
      .array(eventParams, "a list of objects")
      .max(mostEvents, `a list of at most ${mostEvents} events`)
      .default([]),
  }).default({ events: [] }),
  recent_memories: memories.default([]),
  policy_hints: fields({ max_memories: count(1, 10).optional() }).default({}),
})

/** Runs the writer on the caller's episode; nothing is stored. */
function episodeMethods(projects: Projects): Methods {
  return {
    async ingest_episode(params) {
      const { episode_id: id, project_id, ...given } = parseParams(episodeParams, params)
      const events = given.episode_summary.events.map(toEvent)
      if (events.length === 0) throw new RpcError(rpcCodes.emptyEpisode, "the episode has no events")
      const project = await projects.byId(project_id)
      if (!project) throw new RpcError(rpcCodes.noSuchProject, "No project has this id")
      if (await project.learning.transcripts.activePause()) throw new RpcError(rpcCodes.refused, "learning is paused")
      const { answer, episode } = await project.learning.writer.write({
        id,
        events,
        known: given.recent_memories,
        mostMemories: given.policy_hints.max_memories,
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

function toEvent({ role, kind, summary, raw_snippet, ...given }: z.output<typeof eventParams>): HandedEvent {
  const { ts, tool_name: tool, file, command, is_error: isError, exit_code: exitCode } = given
  const text = raw_snippet === undefined ? summary : `${summary}\n${raw_snippet}`
  return { role, kind, text, ts, tool, file, command, isError, exitCode }
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
    ...(ttlDays === undefined ? {} : { ttl_days: ttlDays }), // null means none; undefined the tier's own
    confidence,
    evidence: { source: evidence.source, frustration: evidence.frustration },
  }
}
