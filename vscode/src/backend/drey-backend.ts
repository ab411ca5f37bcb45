import type * as vscode from "vscode"
import type { NewStatement } from "../model/proposals.ts"
import type { EntryRow, SearchHit } from "../model/team-model.ts"
import type { Team } from "../teams.ts"
import type { Backend, Health, LearnedRow, LogItem, LogRow, Outcome, Uses } from "./backend.ts"
import { contextText, whyText } from "./drey-texts.ts"

export type DreyCall = <Result>(method: string, params: object) => Promise<Result>

export type DreyBackendParts = {
  call: DreyCall
  l10n: Pick<typeof vscode.l10n, "t">
  /** Saves open files of the team: Drey reads and writes the disk. */
  save(team: Team): Promise<void>
}

type Changed =
  | { done: true; id: string | null; summary: string; undo?: string | null }
  | { done: false; reason: string }
type FoundItem = {
  id: string
  source: string
  type: string
  title: string
  snippet: string
  path: string
  line: number
  author: string
  at: number | null
}
type UsesAnswer = {
  uses: ({ id: string } & Uses)[]
  latest: { at: string; agent: string | null; count: number; tokens: number } | null
}
type HandOver = {
  at: string
  agent: string | null
  occasion: string
  tokens: number
  count: number
  items: { id: string; title: string; reason: string | null }[]
}
type WorkAnswer = {
  sessions: {
    name: string
    session: string
    start: number
    end: number
    running: boolean
    files: string[]
    tasks: { text: string; outcome: string }[]
    learned: { id: string; title: string }[]
    decided: { id: string; title: string }[]
    handed: HandOver[]
  }[]
  others: HandOver[]
  unread: string | null
}

/** A count that is a little old is better than a question for each line of a file. */
const usesFreshMs = 15_000

/** Everything by the installed `drey`: its index, its journal, its record of what was handed over. */
export function dreyBackend({ call, l10n, save }: DreyBackendParts): Backend {
  const at = (team: Team, params: object = {}) => ({ project_root: team.folder.uri.fsPath, ...params })
  const change = async (team: Team, method: string, params: object): Promise<Outcome> => {
    await save(team)
    const answer = await call<Changed>(method, at(team, params))
    if (!answer.done) return { kind: "refused", reason: answer.reason }
    const { summary, id, undo } = answer
    return { kind: "done", summary, id: id ?? undefined, undo: undo ?? undefined }
  }
  const asked = new Map<string, { at: number; rows: readonly EntryRow[]; answer: Promise<UsesAnswer> }>()
  const usesOf = (team: Team): Promise<UsesAnswer> => {
    const known = asked.get(team.root)
    if (known && known.rows === team.rows && Date.now() - known.at < usesFreshMs) return known.answer
    const answer = call<UsesAnswer>("item_uses", at(team, { ids: team.rows.map(({ id }) => id).slice(0, 5000) }))
    asked.set(team.root, { at: Date.now(), rows: team.rows, answer })
    return answer
  }
  return {
    kind: "drey",
    accept: (team, row) => change(team, "accept_proposal", { key: row.key ?? row.path, id: row.id }),
    refuse: (team, row, reason) => change(team, "refuse_proposal", { key: row.key ?? row.path, id: row.id, reason }),
    remember: (team, { type, text, details = "", why = "", author }: NewStatement) =>
      change(team, "remember", { type: type === "memory" ? "note" : type, text, details, why, author }),
    supersede: (team, older, newer) => change(team, "supersede_item", { id: older.id, by: newer.id }),
    undo: (team, key) => change(team, "undo_change", key === undefined ? {} : { key }),
    forget: (team, id) => change(team, "forget_item", { id }),
    async search(team, query, all) {
      const { results, problems } = await call<{ results: FoundItem[]; problems: string[] }>(
        "search_items",
        at(team, { query, all }),
      )
      return { rows: results.map((found) => toHit(team, found)), problems }
    },
    context: async (team, task, paths) => contextText(await call("preview_context", at(team, { task, paths })), l10n),
    async uses(team, id) {
      return (await usesOf(team)).uses.find((each) => each.id === id)
    },
    why: async (team, id) => whyText(await call("explain_item", at(team, { id })), l10n),
    async learned(team) {
      const { items } = await call<{
        items: (Omit<LearnedRow, "kind" | "status"> & { type: string; status: string })[]
      }>("learned_items", at(team))
      return items.map(({ id, title, type, status, at: written, flags }) => {
        const known = status === "proven" || status === "ended" ? status : "on trial"
        return {
          id,
          title,
          kind: type,
          status: known,
          at: written,
          flags: [...flags, ...(status === "expired" ? [status] : [])],
        }
      })
    },
    async log(team) {
      const { sessions, others, unread } = await call<WorkAnswer>("recent_work", at(team))
      const rows = [
        ...sessions.map((each) => toSessionRow(each, l10n)),
        ...others.map((each) => toContextRow(each, l10n)),
      ]
      rows.sort((one, other) => (other.at ?? 0) - (one.at ?? 0))
      return unread === null
        ? rows
        : [
            ...rows,
            {
              label: l10n.t("Some sessions are missing"),
              description: "",
              detail: unread,
              icon: "warning",
              at: null,
              items: [],
            },
          ]
    },
    async health(team) {
      type Answer = Omit<Health, "problems" | "latest"> & { problems: { name: string; message: string }[] }
      const [{ problems, ...found }, { latest }] = await Promise.all([
        call<Answer>("project_health", at(team)),
        usesOf(team),
      ])
      return {
        ...found,
        problems: problems.map(({ name, message }) => `${name}: ${message}`),
        latest: latest ?? undefined,
      }
    },
  }
}

/** What is in a file of the team is shown as there; all else, such as a learned memory, by what Drey says of it. */
function toHit(team: Team, { snippet, ...found }: FoundItem): SearchHit {
  const row = team.rows.find(({ id }) => id === found.id)
  if (row) return { ...row, snippet }
  return {
    ...{ ...found, snippet, endLine: found.line, summary: found.title, scope: "", tags: [] },
    ...{ at: found.at ?? 0, status: "in force", format: "sem", supersedes: [], supersededBy: [] },
  }
}

type L10n = DreyBackendParts["l10n"]

function toSessionRow(
  { name, session, start, end, running, files, tasks, learned, decided, handed }: WorkAnswer["sessions"][number],
  l10n: L10n,
): LogRow {
  const items: LogItem[] = [
    ...tasks.map(({ text, outcome }) => ({
      label: text,
      description: outcome,
      icon: outcomeIcons[outcome] ?? "comment",
    })),
    ...handed.map((each) => handOverItem(each, l10n)),
    ...learned.map(({ id, title }) => ({ label: title, description: l10n.t("learned"), icon: "lightbulb", id })),
    ...decided.map(({ id, title }) => ({ label: title, description: l10n.t("decided"), icon: "law", id })),
  ]
  return {
    label: tasks[0]?.text ?? name,
    description: [name, running ? l10n.t("running") : ""].filter(Boolean).join(" · "),
    detail: [
      `${name} · ${new Date(start).toLocaleString()}`,
      l10n.t("Session {0}", session),
      ...(files.length > 0 ? [l10n.t("Changed: {0}", files.slice(0, 20).join(", "))] : []),
    ].join("\n"),
    icon: running ? "sync" : "history",
    at: end,
    items,
  }
}

const outcomeIcons: Record<string, string> = {
  success: "pass",
  partial: "circle-outline",
  failure: "error",
  running: "sync",
}

function toContextRow(handed: HandOver, l10n: L10n): LogRow {
  const { label, description, items = [] } = handOverItem(handed, l10n)
  return {
    label,
    description: [handed.agent ?? "", description].filter(Boolean).join(" · "),
    detail: handed.at,
    icon: "export",
    at: Date.parse(handed.at),
    items,
  }
}

function handOverItem({ occasion, tokens, count, items }: HandOver, l10n: L10n): LogItem {
  return {
    label: l10n.t("{0} handed over", count),
    description: `${occasion} · ${l10n.t("{0} tokens", tokens)}`,
    icon: "export",
    items: items.map(({ id, title, reason }) => ({
      label: title,
      description: reason ?? "",
      icon: "arrow-small-right",
      id,
    })),
  }
}
