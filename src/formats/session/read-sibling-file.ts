import { checkIds } from "./check-ids.ts"
import { checkMoments } from "./check-moments.ts"
import { checkMessage, checkPlan } from "./check-sibling-items.ts"
import { anyList } from "./field-schemas.ts"
import { partReader } from "./read-part.ts"
import { readSessionFile, type SessionFileReading, type SessionFileShape } from "./read-session-file.ts"
import {
  type Conversation,
  conversationSchema,
  type MachineState,
  machineStateSchema,
  messageSchema,
  metadataSchema,
  type PlanFile,
  planFileSchema,
  planSchema,
  type SessionMetadata,
} from "./sibling-files.ts"

/** What the files beside the agents' memories hold, by the name of the file without `.yaml`. */
export type SiblingData = {
  context: MachineState
  conversation: Conversation
  plan: PlanFile
  metadata: SessionMetadata
}
export type SiblingKind = keyof SiblingData

const shapes: { [Kind in SiblingKind]: SessionFileShape<SiblingData[Kind]> } = {
  context: {
    head: machineStateSchema,
    lists: {},
    check: (state) => [
      ...checkMoments(state, ["startedAt"]),
      ...(state.lastError ? checkMoments(state.lastError, ["timestamp"], ["lastError"]) : []),
    ],
  },
  conversation: {
    head: conversationSchema.extend({ messages: anyList }),
    lists: { messages: partReader(messageSchema, checkMessage) },
    check: ({ messages }) => checkIds("messages", messages),
  },
  plan: {
    head: planFileSchema.extend({ plans: anyList }),
    lists: { plans: partReader(planSchema, checkPlan) },
    check: ({ plans }) => checkIds("plans", plans),
  },
  metadata: {
    head: metadataSchema,
    lists: {},
    check: (metadata) => checkMoments(metadata, ["createdAt", "updatedAt", "endedAt"]),
  },
}

/** Reads one of the files beside the agents' memories. Messages and plans are frozen: readings of the same text share them. */
export function readSiblingFile<Kind extends SiblingKind>(
  kind: Kind,
  text: string,
  expected: { sessionId?: string } = {},
): SessionFileReading<SiblingData[Kind]> {
  return readSessionFile(shapes[kind], text, expected)
}
