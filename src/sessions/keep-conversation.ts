import type { Message } from "../formats/session/sibling-files.ts"
import { clearContent } from "./clear-values.ts"
import { followUp } from "./follow-up.ts"
import { keepMetadata } from "./keep-metadata.ts"
import { newFileText } from "./new-file-text.ts"
import { numberedId } from "./next-id.ts"
import { requireText } from "./require-input.ts"
import type { NewMessage } from "./session.ts"
import type { SessionParts } from "./session-parts.ts"

/** Adds a message to the conversation, whole: what a later reader needs of it is not known yet. */
export function addMessage(
  parts: SessionParts,
  { agent, role, content, toolCalls, toolResults, usage }: NewMessage,
): Message {
  requireText("role", role)
  requireText("content", content)
  const { files, now } = parts
  const said = {
    agent,
    role,
    content: clearContent(content),
    ...(toolCalls?.length ? { toolCalls } : {}),
    ...(toolResults?.length ? { toolResults } : {}),
    usage,
  }
  const changed = files.change(
    "conversation",
    files.pathOf("conversation"),
    ({ data }) => {
      const id = numberedId(
        "message",
        data.messages.map(({ id }) => Number(/^message-(\d{1,15})$/.exec(id)?.[1])),
      )
      return [{ op: "append", path: ["messages"], value: { id, timestamp: now().toISOString(), ...said } }]
    },
    () => newFileText("session-conversation", files.id, { messages: [] }),
  )
  followUp(parts, () => keepMetadata(parts))
  const message = changed.data.messages.at(-1)
  if (!message) throw new Error("the conversation holds no message after one was added")
  return message
}
