import { z } from "zod"
import type { RunningProgram } from "../clients/connect/connections.ts"
import type { Drey } from "../drey.ts"
import { omitUndefined } from "../formats/objects.ts"
import { parseQuery } from "../formats/query.ts"
import type { ContextRecord } from "../recall/context/context-log.ts"
import type { RecentSession } from "../recall/search/recent-activity.ts"
import type { EditOutcome } from "../team/edit/item-edit.ts"
import { count, fields, flag, parseParams, projectRoot, text, texts, word } from "./params.ts"
import type { Projects } from "./project-pool.ts"
import { type Method, type Methods, RpcError, rpcCodes } from "./protocol.ts"

export type EditorParts = { projects: Projects; program: RunningProgram }

/**
 * What an editor asks on behalf of its user. The user's own changes are among them, so an agent must not reach these methods: they are
 * on the streams of a process that a user's program started, never on the socket.
 */
export function editorMethods({ projects, program }: EditorParts): Methods {
  const within =
    <Schema extends typeof inProject>(
      schema: Schema,
      answer: (drey: Drey, asked: z.output<Schema>) => Promise<unknown>,
    ): Method =>
    (params) =>
      projects.serving(async () => {
        const asked = parseParams(schema, params)
        return answer((await projects.at(asked.project_root)).drey, asked)
      })
  return { ...readingMethods(within, program), ...changingMethods(within) }
}

type Within = <Schema extends typeof inProject>(
  schema: Schema,
  answer: (drey: Drey, asked: z.output<Schema>) => Promise<unknown>,
) => Method

const inProject = fields({ project_root: projectRoot })
const mostResults = 500
const mostTokens = 100_000
const mostIds = 5000

function readingMethods(within: Within, program: RunningProgram): Methods {
  const searchParams = inProject.extend({
    query: text,
    all: flag.default(false),
    top_k: count(1, mostResults).default(50),
  })
  const contextParams = inProject.extend({
    task: text,
    paths: texts.default([]),
    agent: text.optional(),
    context_budget_tokens: count(1, mostTokens).optional(),
  })
  return {
    project_health: within(inProject, async (drey) => {
      const checks = await drey.team.check()
      const planned = await drey.clients.as(program).planConnect({})
      const isOpen = (id: string) =>
        planned.files.some(({ clients, change }) => clients.some((each) => each === id) && isUnwritten(change))
      const found = planned.clients.map(({ id, name }) => ({ id, name, connected: !isOpen(id) }))
      return {
        version: program.version,
        trusted: (await drey.team.trust()).kind === "trusted",
        problems: checks.filter(({ status, severity }) => status !== "pass" && severity !== "info").map(toProblem),
        clients: found,
      }
    }),
    search_items: within(searchParams, async (drey, { query, all, top_k: limit }) => {
      const parsed = parseQuery(query)
      if (parsed.kind === "invalid") return { results: [], problems: parsed.problems.map(({ message }) => message) }
      const { hits } = await drey.search.items({ query: parsed.query, all, limit })
      const results = hits.map(({ id, source, type, title, snippet, path, line, author, at }) => {
        return { id, source, type, title, snippet, path, line, author, at: at ?? null }
      })
      return { results, problems: [] }
    }),
    preview_context: within(contextParams, async (drey, { task, paths, agent, context_budget_tokens: budget }) => {
      const { text, tokens, included, left, ...rest } = await drey.search.browse.preview({ task, paths, agent, budget })
      const titles = new Map(rest.explanation.map(({ id, title }) => [id, title]))
      return {
        context_prompt: text,
        tokens,
        budget: rest.budget,
        included: included.map(({ id, source, reason }) => ({ id, source, reason, title: titles.get(id) ?? id })),
        left: left.length,
      }
    }),
    item_uses: within(
      inProject.extend({ ids: z.array(text, "a list of texts").max(mostIds) }),
      async (drey, { ids }) => {
        const records = await drey.context.handedOut()
        const [latest] = records
        return { ...usesOf(records, ids), latest: latest ? toHandOver(latest, () => undefined) : null }
      },
    ),
    explain_item: within(inProject.extend({ id: text }), async (drey, { id }) => {
      const found = await drey.search.browse.describe(id)
      if (!found) throw new RpcError(rpcCodes.noSuchMemory, `Nothing has the id ${id.slice(0, 80)}`)
      const { row, text: body, uses, learned, earned, older, newer } = found
      const evidence = learned?.evidence.map(({ quote, source, created, transcript, line }) => {
        return { quote, source, at: created, from: line > 0 ? `${transcript}:${line}` : transcript }
      })
      const links = (items: typeof older) => items.map(({ id, title }) => ({ id, title }))
      return {
        row,
        text: body,
        evidence: evidence ?? [],
        metrics: earned?.metrics ?? [],
        outlook: earned?.outlook ?? [],
        history: earned?.history ?? [],
        uses: uses.slice(0, 50).map(({ at, agent, client, reason, outcome }) => {
          return { at, agent: agent ?? client ?? null, reason: reason ?? null, outcome: outcome ?? null }
        }),
        older: links(older),
        newer: links(newer),
      }
    }),
    learned_items: within(inProject, async (drey) => {
      const { items } = await drey.search.browse.catalogue()
      return { items: items.filter(({ row }) => row.source === "learned").map(({ row }) => row) }
    }),
    recent_work: within(inProject.extend({ limit: count(1, 100).default(20) }), async (drey, { limit }) => {
      const { recent, unread } = await drey.search.recent({ limit })
      const handed = await drey.context.handedOut({ limit: limit * 20 })
      const { byId } = await drey.search.browse.catalogue()
      const show = (record: ContextRecord) => toHandOver(record, (id) => byId.get(id)?.row.title)
      const sessions = (recent?.sessions ?? []).sort((one, other) => other.end - one.end)
      const known = new Set(sessions.map(({ session }) => session))
      return {
        sessions: sessions.map((each) => ({
          ...toSession(each),
          handed: handed.filter(({ session }) => session === each.session).map(show),
        })),
        others: handed
          .filter(({ session }) => session === undefined || !known.has(session))
          .slice(0, limit)
          .map(show),
        unread: unread.problem ?? null,
      }
    }),
    captured_rules: within(inProject.extend({ since: text }), async (drey, { since }) => {
      const changes = (await drey.team.changes.list()).filter(
        ({ command, createdAt, undone }) => command === "capture" && !undone && createdAt >= since,
      )
      const next = await drey.team.editor.nextUndo()
      return { captured: changes.map(({ id, createdAt }) => ({ key: id, at: createdAt })), next: next?.key ?? null }
    }),
  }
}

function isUnwritten(change: "created" | "changed" | "none" | "left"): boolean {
  return change === "created" || change === "changed"
}

function toProblem({ name, status, message }: { name: string; status: string; message: string }) {
  return { name, status, message }
}

/** Per id: how often it was handed out, how often because it is relevant to the task, and to whom last. */
function usesOf(records: readonly ContextRecord[], ids: readonly string[]) {
  const uses = new Map(
    ids.map((id) => [id, { handed: 0, used: 0, last: null as { at: string; agent: string | null } | null }]),
  )
  for (const { items, at, agent, client } of records)
    for (const { id, relevant } of items) {
      const own = uses.get(id)
      if (!own) continue
      own.handed++
      if (relevant) own.used++
      own.last ??= { at, agent: agent ?? client ?? null }
    }
  return { uses: [...uses].filter(([, { handed }]) => handed > 0).map(([id, each]) => ({ id, ...each })) }
}

const mostShown = 60

function toHandOver(
  { at, agent, client, occasion, tokens, items }: ContextRecord,
  titleOf: (id: string) => string | undefined,
) {
  const shown = items
    .slice(0, mostShown)
    .map(({ id, reason }) => ({ id, title: titleOf(id) ?? id, reason: reason ?? null }))
  return { at, agent: agent ?? client ?? null, occasion: occasion ?? "task", tokens, count: items.length, items: shown }
}

function toSession({
  client,
  name,
  session,
  start,
  end,
  isRunning,
  tasks,
  learned,
  files,
  failed,
  decided,
}: RecentSession) {
  return {
    ...{ client, name, session, start, end, running: isRunning, files, failed },
    tasks: tasks.map(({ text, outcome }) => ({ text, outcome })),
    learned: learned.map(({ id, text }) => ({ id, title: text })),
    decided: decided.map(({ id, title }) => ({ id, title })),
  }
}

function changingMethods(within: Within): Methods {
  const rememberParams = inProject.extend({
    type: word(["directive", "decision", "note"]),
    text,
    details: text.optional(),
    why: text.optional(),
    author: text.optional(),
  })
  const reason = text.default("")
  const proposal = inProject.extend({ key: text, id: text })
  return {
    remember: within(rememberParams, async (drey, { project_root: _, text: words, ...given }) => {
      const saved = await drey.team.remember(words, omitUndefined(given))
      if (saved.kind === "refused") return { done: false, reason: saved.reason }
      const { kind, id, path, line } = saved
      return {
        done: true,
        id,
        summary: kind === "known" ? "The team already knows this" : `Saved to ${path}`,
        path,
        line,
      }
    }),
    accept_proposal: within(proposal, async (drey, { key, id }) => {
      const found = await findProposal(drey, key, id)
      return found ? answer(await drey.team.inbox.accept(key, found)) : gone
    }),
    refuse_proposal: within(proposal.extend({ reason }), async (drey, { key, id, reason: why }) => {
      const found = await findProposal(drey, key, id)
      return found ? answer(await drey.team.inbox.refuse(key, { ...found, reason: why })) : gone
    }),
    supersede_item: within(inProject.extend({ id: text, by: text }), async (drey, { id, by }) => {
      const item = await drey.team.editor.read(id)
      return item ? answer(await drey.team.editor.replaceBy(id, { version: item.version, by })) : gone
    }),
    forget_item: within(inProject.extend({ id: text, reason }), async (drey, { id, reason: why }) => {
      const item = await drey.team.editor.read(id)
      if (!item) return gone
      const words = why === "" ? {} : { reason: why }
      return answer(await drey.team.editor.forget(id, { version: item.version, ...words }))
    }),
    undo_change: within(inProject.extend({ key: text.optional() }), async (drey, { key }) => {
      const next = await drey.team.editor.nextUndo()
      if (!next) return { done: false, reason: "There is nothing to undo" }
      if (key !== undefined && key !== next.key) return { done: false, reason: "Something else was changed since" }
      return answer(await drey.team.editor.undo(next.key))
    }),
  }
}

const gone = { done: false, reason: "It is no longer there, or was changed in the meantime" }

/** The proposal with this key, if it is still the one that the user saw. */
async function findProposal(drey: Drey, key: string, id: string): Promise<{ version: string } | undefined> {
  const { proposals } = await drey.team.inbox.list()
  const found = proposals.find((each) => each.key === key && each.id === id)
  return found && { version: found.version }
}

function answer(outcome: EditOutcome) {
  if (outcome.kind === "changed") return gone
  if (outcome.kind === "refused") return { done: false, reason: outcome.reason }
  const { id, summary, change } = outcome
  return { done: true, id, summary, undo: change }
}
