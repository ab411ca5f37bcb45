import type { Frustration } from "../episodes/episode.ts"
import type { HandedEvent } from "../learning/write-episode.ts"
import type { NewText, Operation } from "../writer/writer.ts"
import type { Methods } from "./answer-line.ts"
import { memoriesOf } from "./memory-params.ts"
import type { Projects } from "./open-projects.ts"
import {
  oneOf,
  optionalCount,
  optionalFlag,
  optionalRecord,
  optionalText,
  type Params,
  recordsOf,
  textOf,
} from "./params.ts"
import { RpcError, rpcCodes } from "./rpc-error.ts"

const mostEvents = 2000

/** Runs the writer on the caller's episode; nothing is stored. */
export function episodeMethods(projects: Projects): Methods {
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
