import { z } from "zod"
import type { Changed } from "../../../web/api.ts"
import { changeItem, forgetItem, memoryWords, undoChange } from "../app/change-item.ts"
import { reply, route, type TeamRoute } from "../route.ts"

const writes = { scope: "write", role: "member" } as const
const answers = { 200: z.looseObject({}) }
const version = z.string().regex(/^\d{1,9}$/)
const markdown = z.string().max(20_000)
const reason = z.string().max(2000).optional()

/** What the pages of the browser app change. */
export const appChangeRoutes: readonly TeamRoute[] = [
  route({
    method: "POST",
    path: "/api/items/:id/edit",
    summary: "Edit a memory",
    needs: writes,
    body: z.object({ version, title: markdown.optional(), markdown: markdown.optional() }),
    answers,
    async handle(parts, { caller, params: { id = "" }, body }) {
      const text = memoryWords(body.markdown ?? body.title ?? "")
      const item = { caller, id, version: body.version }
      return reply<Changed>(await changeItem(parts, item, { kind: "text", text }, `Edited: ${text}`))
    },
  }),
  route({
    method: "POST",
    path: "/api/items/:id/supersede",
    summary: "Replace a memory",
    needs: writes,
    body: z.object({ version, title: markdown, markdown, reason }),
    answers,
    async handle(parts, { caller, params: { id = "" }, body }) {
      const text = memoryWords(body.markdown.trim() === "" ? body.title : body.markdown)
      const change = { kind: "replaced" as const, text, reason: body.reason ?? "a person stated it" }
      const item = { caller, id, version: body.version }
      return reply<Changed>(await changeItem(parts, item, change, `Replaced by: ${text}`))
    },
  }),
  route({
    method: "POST",
    path: "/api/items/:id/pin",
    summary: "Pin a memory, so that it never ends by itself, or unpin it",
    needs: writes,
    body: z.object({ version, pinned: z.boolean() }),
    answers,
    async handle(parts, { caller, params: { id = "" }, body: { version, pinned } }) {
      const summary = pinned ? "Pinned" : "Unpinned"
      return reply<Changed>(await changeItem(parts, { caller, id, version }, { kind: "pinned", pinned }, summary))
    },
  }),
  route({
    method: "POST",
    path: "/api/items/:id/forget",
    summary: "End a memory",
    needs: writes,
    body: z.object({ version, reason }),
    answers,
    handle: async (parts, { caller, params: { id = "" }, body: { version, reason } }) =>
      reply<Changed>(await forgetItem(parts, { caller, id, version }, reason)),
  }),
  route({
    method: "GET",
    path: "/api/undo",
    summary: "The change that can be undone; none, because the last change may be another member's",
    needs: { scope: "read", role: "viewer" },
    answers,
    handle: async () => Response.json(null),
  }),
  route({
    method: "POST",
    path: "/api/undo",
    summary: "Undo a change",
    needs: writes,
    body: z.object({ key: z.string().min(1).max(100) }),
    answers,
    handle: async (parts, { caller, body }) => reply<Changed>(await undoChange(parts, caller, body.key)),
  }),
]
