import { DreyError } from "../errors.ts"
import { describeDuration, describeSession } from "../formats/client-session.ts"
import { handleOf } from "../formats/memory-handle.ts"
import { parseDuration } from "../formats/parse-duration.ts"
import { quoteInline } from "../formats/quote.ts"
import { dayOf } from "../formats/timestamp.ts"
import type { Recent, RecentSession } from "../recall/recent.ts"
import type { allTools } from "./all-tools.ts"
import type { Answer, Call } from "./call.ts"
import type { ArgumentsOf } from "./tool.ts"

type Given = ArgumentsOf<(typeof allTools)["recent"]["inputSchema"]>

/** What happened before the calling session, as quoted lines. */
export async function recent({ limit, since, agent }: Given, { drey, session }: Call): Promise<Answer> {
  const forMs = since === undefined ? undefined : parseDuration(since)
  if (since !== undefined && forMs === undefined)
    throw new DreyError('"since" must be a time such as 24h, 7d, 2w or 3m')
  const found = await drey.search.recent({ limit, forMs, agent, without: session })
  const { left, problem } = found.unread
  const unread = problem ?? (left > 0 ? `${left} changed transcripts were not read; run drey ingest` : undefined)
  const parts = [
    ...(found.recent ? partsOf(found.recent) : []),
    ...(unread === undefined ? [] : [`Sessions may be missing: ${unread}.`]),
  ]
  return { text: parts.length === 0 ? "Nothing is recorded for that time." : parts.join("\n\n") }
}

function partsOf({ sessions, entries, logs, notes, open }: Recent): string[] {
  const told = new Set(sessions.flatMap(({ decided }) => decided))
  const written = [
    ...entries.filter((entry) => !told.has(entry)).map((entry) => ({ ...entry, kind: entry.type })),
    ...notes.map((note) => ({ ...note, kind: `session note, ${note.type}` })),
  ].map(({ id, kind, at, author, path, line, title }) =>
    quoted(`[${id}] ${kind}, ${at === undefined ? "undated" : dayOf(at)}, ${author}, ${path}:${line}: ${title}`),
  )
  const lines = [
    ...written,
    ...logs.map(({ at, topic, path }) => quoted(`log, ${dayOf(at)}, ${path}: ${topic}`)),
    ...open.map(({ kind, text, agent, path, line }) =>
      quoted(`left open, ${kind}, ${agent}, ${path}:${line}: ${text}`),
    ),
  ]
  return [...sessions.map(sessionText), ...(lines.length === 0 ? [] : [["Entries and notes:", ...lines].join("\n")])]
}

const width = 200

function sessionText({ decided, ...session }: RecentSession): string {
  const { name, start, end, isRunning } = session
  const learned = session.learned.map((memory) => ({ ...memory, id: handleOf(memory.id) }))
  const lines = describeSession({ ...session, learned }, { decided, width })
  const time = (moment: number) => `${new Date(moment).toISOString().slice(0, 16).replace("T", " ")}`
  const facts = isRunning ? "still running" : describeDuration(end - start)
  return [
    `${time(start)} to ${time(end)} UTC, ${name}, ${facts}:`,
    ...lines.map(({ label, text }) => quoted(`${label}: ${text}`)),
  ].join("\n")
}

function quoted(line: string): string {
  return `> ${quoteInline(line)}`
}
