import { clearText, cutAtWord, instantOf } from "../../../src/formats.ts"
import { linesOfEntry } from "./entry-lines.ts"
import {
  type NewStatement,
  planAcceptance,
  planRefusal,
  planStatement,
  planSupersession,
  previewAcceptance,
} from "./proposals.ts"
import { quickFixes } from "./quick-fixes.ts"
import { completeSession, sessionProblems } from "./session-files.ts"
import { type EntryRow, openTeamModel, type TeamModel } from "./team-model.ts"

/** An entry of an open file, with the lines of its fields. */
export type OutlineEntry = {
  id: string
  line: number
  endLine: number
  title: string
  type: string
  author: string
  format: "sem" | "legacy"
  fields: [name: string, line: number][]
}

/** What the worker answers, by the folder that a team is in. All of it works on texts: nothing here reads or writes a file. */
export type WorkerMethods = ReturnType<typeof workerMethods>

export function workerMethods(now: () => Date) {
  const models = new Map<string, TeamModel>()
  const stamps = new Map<string, string>()
  const at = (root: string): TeamModel => {
    const model = models.get(root) ?? openTeamModel(now)
    models.set(root, model)
    return model
  }
  return {
    /** Takes texts and returns the rows, unless they are as they were: most keystrokes change none. */
    put(root: string, changed: { path: string; text: string | null }[]): EntryRow[] | undefined {
      at(root).put(changed)
      const rows = at(root).rows()
      const stamp = JSON.stringify(rows)
      if (stamps.get(root) === stamp) return undefined
      stamps.set(root, stamp)
      return rows
    },
    close(root: string) {
      models.delete(root)
      stamps.delete(root)
    },
    references: (root: string, id: string) => at(root).references(id),
    detail: (root: string, id: string) => at(root).detail(id),
    resolve: (root: string, reference: string) => at(root).resolve(reference),
    problems: (root: string, path: string) => at(root).problems(path),
    sessionProblems: (path: string, text: string) => sessionProblems(path, text),
    completeSession: (path: string, text: string, line: number, column: number) =>
      completeSession(path, text, line, column),
    fixes: (root: string, path: string, between: [number, number], author: string) =>
      quickFixes(at(root), path, between, author),
    search: (root: string, query: string, options?: { all?: boolean; limit?: number }) =>
      at(root).search(query, options),
    completeQuery: (root: string, query: string, cursor: number) => at(root).completeQuery(query, cursor),
    naming: (root: string, path: string) => at(root).naming(path),
    mentioning: (root: string, symbols: string[]) => at(root).mentioning(symbols),
    members: (root: string) => at(root).members(),
    skills: (root: string) => at(root).skills(),
    accept: (root: string, key: string) => planAcceptance(at(root), key),
    refuse: (root: string, key: string, reason: string) => planRefusal(at(root), key, reason),
    remember: (root: string, folder: string, statement: NewStatement) => planStatement(at(root), folder, statement),
    supersede: (root: string, older: string, newer: string) => planSupersession(at(root), older, newer),
    preview: (root: string, key: string) => previewAcceptance(at(root), key),
    check: (text: string) => clearText(text),
    context: (root: string, task: string, paths: string[]) => wordContext(at(root), task, paths),
    outline(root: string, path: string): OutlineEntry[] {
      const file = at(root).file(path)
      if (!file) return []
      const lines = file.text.split(/\r?\n/)
      return file.read.entries.map(({ id, line, endLine, format, entry: { title, type, author } }) => ({
        ...{ id, line, endLine, title, type, author, format },
        fields: format === "sem" ? [...linesOfEntry(lines, { line, endLine }).fields] : [],
      }))
    },
  }
}

const mostTokens = 2000
const tokensOf = (text: string) => Math.ceil(text.length / 4)

/** Without Drey on this machine: the rules, what names the files, then what shares words with the task, newest first. */
function wordContext(model: TeamModel, task: string, paths: readonly string[]): string {
  const words = new Set((task.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []).map((word) => word.replace(/s$/, "")))
  const named = new Set(paths.flatMap((path) => model.naming(path).map(({ id }) => id)))
  const active = model
    .rows()
    .filter(({ status, scope }) => status !== "superseded" && status !== "proposed" && !scope.startsWith("agent:"))
  const ranked = active
    .map((row) => {
      const { details = "", rationale = "" } = model.entry(row.id)?.entry ?? {}
      const own = `${row.title} ${row.summary} ${details} ${rationale}`.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []
      const shared = new Set(own.map((word) => word.replace(/s$/, "")).filter((word) => words.has(word))).size
      const isRule = row.type === "directive"
      return { row, details, rationale, score: (isRule ? 100 : 0) + (named.has(row.id) ? 50 : 0) + shared }
    })
    .filter(({ score }) => score > 0 || words.size === 0)
    .sort((one, other) => other.score - one.score || other.row.at - one.row.at)
  const parts: string[] = []
  let tokens = 0
  for (const { row, details, rationale } of ranked) {
    const body = [row.summary === row.title ? "" : row.summary, details, rationale === "" ? "" : `Why: ${rationale}`]
    const date = new Date(instantOf(new Date(row.at).toISOString())).toISOString().slice(0, 10)
    const text = `- **${row.title}** (${row.type}, ${row.author}, ${date})\n${body
      .filter(Boolean)
      .join("\n\n")
      .replace(/^(?=.)/gm, "  ")}`
    const short = `- ${cutAtWord(row.title)} (${row.type}, ${row.author}, ${date})`
    const chosen = tokens + tokensOf(text) <= mostTokens ? text : short
    if (tokens + tokensOf(chosen) > mostTokens) break
    tokens += tokensOf(chosen)
    parts.push(chosen)
  }
  return parts.join("\n")
}
