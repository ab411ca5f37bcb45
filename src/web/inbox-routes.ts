import { z } from "zod"
import type { Inbox, ProposalDetail, Row } from "../recall/browse/app-api.ts"
import type { InboxProposal } from "../team/inbox/contents.ts"
import type { StoreEntry } from "../team/team-entries.ts"
import { answerOutcome } from "./item-routes.ts"
import { get, post, reply, type WebParts } from "./route.ts"

const version = z.string().min(1).max(200)
const title = z.string().min(1).max(2000).optional()
const markdown = z.string().max(500_000).optional()

export const inboxRoutes = [
  get("/api/inbox", z.object({}), async ({ drey }) => {
    const rowOf = await rowReader(drey)
    const { proposals, nearDuplicates, broken } = await drey.team.inbox.list()
    return reply<Inbox>({
      proposals: proposals.map((each) => toProposal(each, rowOf)),
      nearDuplicates: nearDuplicates.map(({ one, other, likeness }) => ({
        one: rowOf(one),
        other: rowOf(other),
        likeness,
      })),
      broken,
    })
  }),
  post("/api/inbox/:key/accept", z.object({ version, title, markdown }), async (parts, change, { key = "" }) =>
    answerOutcome(parts, await parts.drey.team.inbox.accept(key, change), () => readProposal(parts, key)),
  ),
  post(
    "/api/inbox/:key/merge",
    z.object({ version, into: z.string().min(1).max(200), how: z.enum(["append", "supersede"]) }),
    async (parts, change, { key = "" }) =>
      answerOutcome(parts, await parts.drey.team.inbox.mergeInto(key, change), () => readProposal(parts, key)),
  ),
  post(
    "/api/inbox/:key/refuse",
    z.object({ version, reason: z.string().max(2000) }),
    async (parts, change, { key = "" }) =>
      answerOutcome(parts, await parts.drey.team.inbox.refuse(key, change), () => readProposal(parts, key)),
  ),
]

type PlacedEntry = Pick<StoreEntry, "id" | "entry" | "path" | "line">
type RowOf = (entry: PlacedEntry) => Row

async function readProposal({ drey }: WebParts, key: string): Promise<ProposalDetail | null> {
  const found = (await drey.team.inbox.list()).proposals.find((each) => each.key === key)
  return found ? toProposal(found, await rowReader(drey)) : null
}

function toProposal({ entry, id, line, against, ...proposal }: InboxProposal, rowOf: RowOf): ProposalDetail {
  return {
    ...proposal,
    row: { ...rowOf({ id, entry, path: proposal.path, line }), status: "proposed", path: proposal.path, line },
    against: against.map(({ entry: other, ...each }) => ({ ...each, row: rowOf(other) })),
  }
}

/** Rows as every list shows them; an entry that is not in the index yet is shown from its file. */
async function rowReader(drey: WebParts["drey"]): Promise<RowOf> {
  const { byId } = await drey.search.browse.catalogue()
  return ({ id, entry, path, line }) =>
    byId.get(id)?.row ?? {
      id,
      source: "inbox",
      type: entry.type,
      status: "proposed",
      title: entry.title,
      author: entry.author,
      scope: entry.scope,
      tags: entry.tags,
      at: Date.parse(entry.timestamp) || null,
      path,
      line,
      pinned: false,
      flags: [],
    }
}
