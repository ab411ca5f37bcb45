import type { TranscriptEvent } from "../../formats/client-events.ts"

import { cutBlocks, cutToLast, textInTag } from "../injected-text.ts"

export type ClaudeMessage =
  | { kind: "said"; text: string }
  | { kind: "mark"; mark: NonNullable<TranscriptEvent["mark"]> }
  | { kind: "interrupted" }
  | { kind: "nothing" }

/** Classifies the text of a user message: typed by the user, a command to the client, or the client's own. */
export function readClaudeMessage(text: string): ClaudeMessage {
  const words = wrappers.reduce(cutToLast, text).trim()
  if (words.startsWith("[Request interrupted by user")) return { kind: "interrupted" }
  const mark = marks[commandIn.exec(words)?.[1] ?? ""]
  if (mark !== undefined) return { kind: "mark", mark }
  if (words === "" || byClient.test(words)) return { kind: "nothing" }
  return { kind: "said", text: acceptedPlan.exec(words)?.[0] ?? words }
}

/** An accepted plan arrives as a user message. The model wrote it, so only its title counts as the user's request. */
const acceptedPlan = /^Implement the following plan:\s{1,9}#[^\n]{1,300}/

/** Removes the client's reminders from an output. */
export function cutReminders(text: string): string {
  return cutBlocks(text, { open: "<system-reminder>", close: "</system-reminder>" })
}

/** Whether a text is a command to the client, or its result: then all text of the record is the client's. */
export function isCommandBlock(text: string): boolean {
  return commandBlock.test(text.trim())
}

/** What the user typed behind a command of their own: a request in words, not an option. */
export function commandArguments(text: string): string {
  const words = isCommandBlock(text) ? (textInTag(text, "command-args") ?? "") : ""
  return words.split(/\s+/).length >= fewestWords ? words : ""
}

const fewestWords = 4

const commandBlock = /^<(?:command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat))>/

/** Editors describe what is open before the prompt, and the client adds reminders for the model. */
const wrappers = ["ide_opened_file", "ide_selection", "ide_diagnostics", "system-reminder", "task-notification"].map(
  (name) => ({ open: `<${name}>`, close: `</${name}>` }),
)

const commandIn =
  /^(?:<command-message>.{0,200}?<\/command-message>\s{0,20})?<command-name>\/?([\w:-]{1,60})<\/command-name>/s
const marks: Record<string, NonNullable<TranscriptEvent["mark"]>> = {
  clear: "clear",
  reset: "clear",
  new: "clear",
  exit: "session end",
  quit: "session end",
}

const byClient =
  /^(?:<(?:command-name|command-message|command-args|command-contents|local-command-stdout|local-command-stderr|local-command-caveat|task-notification|system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>|Caveat:|Operation stopped by hook:)/
