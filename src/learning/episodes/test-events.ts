import type { TranscriptEvent } from "../../formats/client-events.ts"

import type { Episode, EpisodeEvent } from "../../memories/episode.ts"
import { compressEvent } from "./compressed-event.ts"
import { statsOf } from "./episode-stats.ts"

/** For tests: the events of a session, in a few words each, a minute apart. */
export function testEvents(...happened: Partial<TranscriptEvent>[]): EpisodeEvent[] {
  return happened.map((event, index) => compressEvent(testEvent(event, index), "/work/shop"))
}

export function testEvent(given: Partial<TranscriptEvent>, index = 0): TranscriptEvent {
  const ts = new Date(Date.UTC(2026, 2, 1, 9, index)).toISOString()
  return { id: `r-${index}`, session: "s-1", ts, line: index + 1, role: "user", kind: "message", text: "", ...given }
}

export const says = (text: string, more: Partial<TranscriptEvent> = {}): Partial<TranscriptEvent> => ({ text, ...more })

export const answers = (text: string): Partial<TranscriptEvent> => ({ role: "assistant", text })

/** A command that ran: its call and its result. */
export const runs = (command: string, exitCode: number, text = ""): Partial<TranscriptEvent>[] => [
  { role: "assistant", kind: "tool_call", tool: "Bash", action: "run", command },
  { role: "tool", kind: "tool_result", tool: "Bash", action: "run", command, exitCode, text },
]

export const edits = (file: string, more: Partial<TranscriptEvent> = {}): Partial<TranscriptEvent>[] => [
  { role: "assistant", kind: "tool_call", tool: "Edit", action: "edit", files: [file] },
  { role: "tool", kind: "tool_result", tool: "Edit", action: "edit", files: [file], isError: false, ...more },
]

export const reads = (file: string): Partial<TranscriptEvent>[] => [
  { role: "assistant", kind: "tool_call", tool: "Read", action: "read", files: [file] },
  { role: "tool", kind: "tool_result", tool: "Read", action: "read", files: [file], text: "content" },
]

export const interrupts: Partial<TranscriptEvent> = { kind: "mark", incident: "interrupted" }

export function testEpisode(events: EpisodeEvent[], given: Partial<Episode> = {}): Episode {
  const flushReason = given.flushReason ?? "session_end"
  return {
    id: "ep-2026-03-01-000000000000",
    project: "p-1",
    client: "claude-code",
    session: "s-1",
    transcript: "/transcripts/s-1.jsonl",
    start: events[0]?.ts ?? "",
    end: events.at(-1)?.ts ?? "",
    events,
    stats: statsOf(events, flushReason),
    flushReason,
    ...given,
  }
}
