import { z } from "zod"
import type { EditOutcome } from "../squad/edit/editor.ts"
import type { Changed, Conflict, UndoOffer } from "./api.ts"
import { describeForWeb } from "./describe-for-web.ts"
import { get, post, problem, type Reply, reply, type WebParts } from "./route.ts"

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
    reply<UndoOffer | null>((await drey.team.editor.nextUndo()) ?? null),
  ),
  post("/api/undo", z.object({ key: z.string().min(1).max(500) }), async (parts, { key }) =>
    answerOutcome(parts, await parts.drey.team.editor.undo(key), async () => null),
  ),
]

function answerItem(parts: WebParts, id: string, outcome: EditOutcome): Promise<Reply> {
  return answerOutcome(parts, outcome, async () => (await describeForWeb(parts.drey, id)) ?? null)
}

/** `readCurrent` returns the current version for a conflict. */
export async function answerOutcome(
  { drey }: WebParts,
  outcome: EditOutcome,
  readCurrent: () => Promise<Conflict["current"]>,
): Promise<Reply> {
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
