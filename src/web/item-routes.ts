import { z } from "zod"
import type { Drey } from "../drey.ts"
import { parseQuery } from "../formats/query.ts"
import type {
  Changed,
  Conflict,
  Detail,
  DiagnosticRow,
  EvidenceRow,
  Items,
  ItemUseRow,
  StaleName,
  StaleNames,
  TimelineAnswer,
  UndoAnswer,
} from "../recall/browse/app-api.ts"
import type { ItemDescription, ItemUse } from "../recall/browse/item-detail.ts"
import type { EditableItem, EditOutcome } from "../team/edit/item-edit.ts"
import { get, notFound, post, problem, reply, type WebParts, type WebReply } from "./route.ts"

const version = z.string().min(1).max(200)
const title = z.string().min(1).max(2000)
const markdown = z.string().max(500_000)
const reason = z.string().max(2000).optional()
const tags = z.array(z.string().max(200)).max(100)

export const changeRoutes = [
  post(
    "/api/items/:id/edit",
    z.object({ version, title: title.optional(), markdown: markdown.optional(), tags: tags.optional() }),
    async (parts, change, { id = "" }) => answerItem(parts, id, await parts.drey.team.editor.edit(id, change)),
  ),
  post("/api/items/:id/supersede", z.object({ version, title, markdown, reason }), async (parts, change, { id = "" }) =>
    answerItem(parts, id, await parts.drey.team.editor.supersede(id, change)),
  ),
  post("/api/items/:id/pin", z.object({ version, pinned: z.boolean() }), async (parts, change, { id = "" }) =>
    answerItem(parts, id, await parts.drey.team.editor.pin(id, change)),
  ),
  post("/api/items/:id/forget", z.object({ version, reason }), async (parts, change, { id = "" }) =>
    answerItem(parts, id, await parts.drey.team.editor.forget(id, change)),
  ),
  get("/api/undo", z.object({}), async ({ drey }) =>
    reply<UndoAnswer | null>((await drey.team.editor.nextUndo()) ?? null),
  ),
  post("/api/undo", z.object({ key: z.string().min(1).max(500) }), async (parts, { key }) =>
    answerOutcome(parts, await parts.drey.team.editor.undo(key), async () => null),
  ),
]

function answerItem(parts: WebParts, id: string, outcome: EditOutcome): Promise<WebReply> {
  return answerOutcome(parts, outcome, async () => (await describeForWeb(parts.drey, id)) ?? null)
}

/** `readCurrent` returns the current version for a conflict. */
export async function answerOutcome(
  { drey }: WebParts,
  outcome: EditOutcome,
  readCurrent: () => Promise<Conflict["current"]>,
): Promise<WebReply> {
  switch (outcome.kind) {
    case "done": {
      const next = outcome.change === null ? undefined : await drey.team.editor.nextUndo()
      const undo = next?.key === outcome.change ? (next ?? null) : null
      return reply<Changed>({ id: outcome.id, summary: outcome.summary, undo })
    }
    case "changed": {
      const body: Conflict = {
        error: "It was changed in the meantime. Reload and try again.",
        current: await readCurrent(),
      }
      return { status: 409, body }
    }
    case "refused":
      return problem(outcome.reason)
  }
}

const longestQuery = 2000
const query = z.string().max(longestQuery).default("")
const place = z.coerce.number().int().min(0)

const noFacets = { type: [], author: [], scope: [], tag: [], status: [], source: [] }

export const itemRoutes = [
  get(
    "/api/items",
    z.object({ q: query, limit: place.max(500).default(50), offset: place.default(0) }),
    async ({ drey }, { q, limit, offset }) => {
      const parsed = parseQuery(q)
      if (parsed.kind === "invalid")
        return reply<Items>({ rows: [], total: 0, facets: noFacets, problems: parsed.problems })
      const page = await drey.search.browse.items(parsed.query, { limit, offset })
      return reply<Items>({ ...page, problems: [] })
    },
  ),
  get("/api/timeline", z.object({ q: query }), async ({ drey }, { q }) => {
    const parsed = parseQuery(q)
    if (parsed.kind === "invalid") return reply<TimelineAnswer>({ types: [], at: [], type: [], ids: [], weeks: [] })
    return reply<TimelineAnswer>(await drey.search.browse.timeline(parsed.query))
  }),
  get("/api/items/:id", z.object({}), async ({ drey }, _, { id = "" }) => {
    const detail = await describeForWeb(drey, id)
    return detail ? reply(detail) : notFound(`No item has the id ${id}.`)
  }),
  get("/api/items/:id/names", z.object({}), async ({ drey }, _, { id = "" }) =>
    reply<StaleNames>({ names: await listStaleNames(drey, id) }),
  ),
]

/** Everything that an item's page shows; undefined if the id is unknown. */
async function describeForWeb(drey: Drey, id: string): Promise<Detail | undefined> {
  const found = await drey.search.browse.describe(id)
  if (!found) return undefined
  const { row, formerId, text, fields, older, newer, related, uses, learned, earned } = found
  const editable = await drey.team.editor.read(row.id)
  return {
    row: { ...row, pinned: editable?.pinned ?? row.pinned },
    version: editable?.version ?? "",
    formerId: formerId ?? null,
    markdown: editable?.markdown ?? text,
    fields,
    older,
    newer,
    related,
    evidence: learned?.evidence.map(toEvidence(learned.memory.origin)) ?? [],
    uses: uses.map(toUse),
    diagnostics: await diagnosticsOf(drey, found),
    learned: earned ?? null,
    can: editable?.can ?? readOnly(found),
  }
}

type DescribedMemory = NonNullable<ItemDescription["learned"]>

function toEvidence(origin: string) {
  return ({ source, quote, created, transcript, line }: DescribedMemory["evidence"][number]): EvidenceRow => ({
    kind: source.replaceAll("_", " "),
    quote,
    at: created,
    from: line > 0 ? `${transcript}:${line}` : transcript,
    trust: origin,
  })
}

function toUse(use: ItemUse): ItemUseRow {
  const { taskId, at, agent, client, session, rank, reason, outcome } = use
  return {
    taskId,
    at,
    agent: agent ?? null,
    client: client ?? null,
    session: session ?? null,
    rank: rank ?? null,
    reason: reason ?? null,
    outcome: outcome ?? null,
  }
}

/** Diagnostics for its own lines. */
async function diagnosticsOf(drey: Drey, { row, lines }: ItemDescription): Promise<DiagnosticRow[]> {
  if (!lines) return []
  const { diagnostics } = await drey.team.validate({ kind: "alone", path: row.path })
  return diagnostics
    .filter(
      ({ line, entryId }) => entryId === row.id || (entryId === undefined && line >= lines.first && line <= lines.last),
    )
    .map(({ line, code, severity, message }) => ({ path: row.path, line, code, severity, message }))
}

function readOnly({ row }: ItemDescription): EditableItem["can"] {
  const why =
    row.source === "session"
      ? "Session notes cannot be edited; memories made from them can."
      : `Edit its file instead: ${row.path}.`
  return { edit: why, supersede: why, pin: why, forget: why }
}

/** Stale references of an item; none for items that agents no longer see. */
async function listStaleNames(drey: Drey, id: string): Promise<StaleName[]> {
  const { explanation } = await drey.search.explain(id, {})
  return (explanation?.names ?? []).flatMap(({ text, words, verdict: { state } }) =>
    state === "valid" || state === "unverifiable" ? [] : [{ state, text, words }],
  )
}
