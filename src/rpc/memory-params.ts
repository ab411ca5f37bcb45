import type { GivenMemory } from "../recall/compose-context.ts"
import type { MemoryKind, MemoryStatus, MemoryTier } from "../store/memory.ts"
import { oneOf, optionalOneOf, optionalText, type Params, recordsOf, textOf } from "./params.ts"
import { RpcError, rpcCodes } from "./rpc-error.ts"

export const kinds = wordsOf<MemoryKind>({ preference: 1, invariant: 1, pattern: 1, guard: 1, note: 1 })
export const tiers = wordsOf<MemoryTier>({ short_term: 1, long_term: 1, emergency: 1 })
export const statuses = wordsOf<MemoryStatus>({ provisional: 1, active: 1, deprecated: 1 })

/** The types are known here, not the lists that they are made of; a record of them lacks none. */
function wordsOf<Word extends string>(words: Record<Word, 1>): Word[] {
  return Object.keys(words) as Word[]
}

const mostMemories = 200

/** Parses memories in a request. */
export function memoriesOf(params: Params, name: string): GivenMemory[] {
  const given = recordsOf(params, name)
  if (given.length <= mostMemories) return given.map(memoryOf)
  throw new RpcError(rpcCodes.badParams, `${name} has more than ${mostMemories} memories`)
}

function memoryOf(given: Params): GivenMemory {
  const id = textOf(given, "id")
  // It appears in an unquoted line of a context, so it must not be able to contain text.
  if (!/^[\w:.-]{1,64}$/.test(id))
    throw new RpcError(rpcCodes.badParams, "the id of a memory must be a short name without spaces")
  return {
    id,
    kind: oneOf(given, "kind", kinds),
    tier: optionalOneOf(given, "tier", tiers) ?? "short_term",
    key: optionalText(given, "key"),
    text: textOf(given, "text"),
  }
}
