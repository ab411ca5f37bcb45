import { z } from "zod"
import { parseQuery, type Query } from "../formats/query.ts"
import type {
  ConversationDetail,
  ConversationReplay,
  Conversations,
  ListedConversation,
} from "../recall/browse/app-api.ts"
import type { SearchHit } from "../recall/search/item-search.ts"
import { get, notFound, reply } from "./route.ts"

const mostRows = 100

export const conversationRoutes = [
  get("/api/conversations", z.object({ q: z.string().max(2000).default("") }), async ({ drey }, { q }) => {
    const parsed = parseQuery(q)
    if (parsed.kind === "invalid")
      return reply<Conversations>({ rows: [], problem: parsed.problems.map(({ message }) => message).join(" ") })
    const { hits } = await drey.search.items({ query: ofConversations(parsed.query), limit: mostRows })
    return reply<Conversations>({ rows: hits.map(toRow), problem: null })
  }),
  get("/api/conversations/:id", z.object({}), async ({ drey }, _, { id = "" }) => {
    const { found } = await drey.search.past.open(id)
    if (found?.told.kind !== "conversation") return notFound("There is no conversation with this id any more.")
    const { item, linked } = found
    const { kind, commits, ...told } = found.told
    return reply<ConversationDetail>({
      id: item.id,
      title: item.title,
      at: item.at ?? null,
      place: `${item.path}:${item.line}`,
      commits: linked.map((commit) => ({ id: commit.id, title: commit.title })),
      ...told,
    })
  }),
  // On its own: a long transcript takes a moment to read, and may be gone.
  get("/api/conversations/:id/replay", z.object({}), async ({ drey }, _, { id = "" }) => {
    const { steps, missing = null } = await drey.search.past.replay(id)
    return reply<ConversationReplay>({ steps, missing })
  }),
]

function ofConversations({ terms, filters }: Query): Query {
  const others = filters.filter(({ key }) => key !== "source")
  return { terms, filters: [...others, { key: "source", value: "conversation", negated: false }] }
}

function toRow({ id, title, snippet, highlights, author, at }: SearchHit): ListedConversation {
  return {
    id,
    title,
    snippet,
    highlights: highlights.map(({ start, end }) => [start, end]),
    client: author,
    at: at ?? null,
  }
}
