import type { Drey } from "../drey.ts"
import type { ItemDescription, ItemUse } from "../recall/browse/describe-item.ts"
import type { EditableItem } from "../squad/edit/editor.ts"
import type { Detail, Diagnostic, Evidence, Use } from "./api.ts"

/** Everything that an item's page shows; undefined if the id is unknown. */
export async function describeForWeb(drey: Drey, id: string): Promise<Detail | undefined> {
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

type Learned = NonNullable<ItemDescription["learned"]>

function toEvidence(origin: string) {
  return ({ source, quote, created, transcript, line }: Learned["evidence"][number]): Evidence => ({
    kind: source.replaceAll("_", " "),
    quote,
    at: created,
    from: line > 0 ? `${transcript}:${line}` : transcript,
    trust: origin,
  })
}

function toUse(use: ItemUse): Use {
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

/** What a check of its file says about its own lines. */
async function diagnosticsOf(drey: Drey, { row, lines }: ItemDescription): Promise<Diagnostic[]> {
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
