import {
  appendEntries,
  bodyHash,
  completeQuery,
  type Diagnostic,
  type EntriesFile,
  type Entry,
  type EntryPlace,
  entryPlaceOf,
  findSensitive,
  foldText,
  type ItemStatus,
  instantOf,
  isFileMeant,
  type Links,
  linkEntries,
  makeRoster,
  matchesQuery,
  memberRoles,
  parseQuery,
  pathsIn,
  type Query,
  type QueryValues,
  type ReadContext,
  type ReadEntry,
  type Reference,
  type Roster,
  readEntries,
  readSkill,
  referenceResolver,
  rosterNamesOf,
  type Severity,
  sensitiveDiagnostic,
  statusOfEntry,
} from "../../../src/formats.ts"

/** An entry in a list, with its place; lines count from 1. */
export type EntryRow = {
  id: string
  path: string
  line: number
  endLine: number
  type: string
  title: string
  summary: string
  author: string
  scope: string
  tags: string[]
  /** Milliseconds since 1970. */
  at: number
  status: ItemStatus
  /** Of the files, or another source of Drey, such as `learned`. */
  source: string
  format: "sem" | "legacy"
  supersedes: string[]
  supersededBy: string[]
  /** Of a proposal: names it as `drey inbox` does, by its file. */
  key?: string
  /** Why it should be reviewed by a person. */
  review?: string
}

export type EntryDetail = {
  row: EntryRow
  details: string
  rationale: string
  contributors: string[]
  expires?: string
}

export type Problem = { line: number; code: string; severity: Severity; message: string; entryId?: string }

export type MemberRow = { name: string; role: string; entries: number; charter?: string; history?: string }
export type SkillRow = { name: string; description: string; path: string }

/** A found entry, with the text around the first word that matches. */
export type SearchHit = EntryRow & { snippet: string }

type ModelFile = { path: string; place: EntryPlace; text: string; read: EntriesFile; context: ReadContext }

/** The parsed files of a team folder, kept current; paths begin with the folder's name, `.squad/decisions.md`. */
export type TeamModel = ReturnType<typeof openTeamModel>

export function openTeamModel(now: () => Date) {
  const texts = new Map<string, string>()
  let files = new Map<string, ModelFile>()
  let roster: Roster = makeRoster([])
  let linked:
    | { links: Links; rows: EntryRow[]; byId: Map<string, EntryRow>; entries: Map<string, ReadEntry> }
    | undefined
  let resolve: ((reference: string) => Reference) | undefined
  const named = new WeakMap<ReadEntry, string[]>()

  const readFile = (path: string, text: string, place: EntryPlace): ModelFile => {
    const fileName = path.slice(path.lastIndexOf("/") + 1)
    const context = { kind: place.kind, fileName, agent: place.agent, roster, now: now() }
    return { path, place, text, context, read: readEntries(text, context) }
  }
  const readRoster = () => {
    const folders = [...texts.keys()].flatMap((path) => /\/agents\/(?:_alumni\/)?([^/]+)\//.exec(path)?.[1] ?? [])
    const members = [...texts]
      .filter(([path]) => /^[^/]+\/team\.md$/.test(path))
      .flatMap(([, text]) => rosterNamesOf(text))
    return makeRoster([...folders, ...members])
  }

  /** Every entry once, in the order that ids are assigned in: decisions, inbox, archives, histories. */
  const link = () => {
    if (linked) return linked
    const order = (file: ModelFile) => ["decisions", "inbox", "archive", "history", "skills"].indexOf(file.place.source)
    const sorted = [...files.values()].sort(
      (one, other) => order(one) - order(other) || (one.path < other.path ? -1 : 1),
    )
    const placed = sorted.flatMap((file) => file.read.entries.map((entry, nth) => ({ file, entry, nth, id: entry.id })))
    const first = new Map<string, (typeof placed)[number]>()
    const kept = placed.filter((each) => {
      const earlier = first.get(each.id)
      if (!earlier) first.set(each.id, each)
      else if (earlier.file !== each.file) {
        const own = bodyHash(each.entry.entry)
        const isCopy = own === bodyHash(earlier.entry.entry)
        if (isCopy && each.file.path.startsWith(".ai-team/") && earlier.file.path.startsWith(".squad/")) return false
        if (!isCopy && each.entry.entry.id === undefined) each.id = `${each.id}-${own.slice(0, 4)}`
      }
      return true
    })
    const linkable = kept.map(({ id, entry: { line, entry } }) => ({ id, line, entry }))
    const links = linkEntries(linkable)
    const waiting = new Set(kept.filter(({ file }) => file.place.source === "inbox").map(({ id }) => id))
    const rows = kept.map(({ file, entry, nth, id }): EntryRow => {
      const { type, title, summary, author, scope, tags, timestamp, review } = entry.entry
      const replacing = links.supersededBy.get(id) ?? []
      const supersededBy = entry.entry.supersededBy.length > 0 ? replacing : replacing.filter((by) => !waiting.has(by))
      const { path } = file
      const { source } = file.place
      return {
        ...{ id, path, line: entry.line, endLine: entry.endLine, type, title, summary, author, scope, tags, source },
        at: instantOf(timestamp),
        status: statusOfEntry(entry.entry, source, supersededBy.length > 0, now()),
        format: entry.format,
        supersedes: links.supersedes.get(id) ?? [],
        supersededBy,
        ...(source === "inbox" ? { key: nth === 0 ? path : `${path}#${nth + 1}` } : {}),
        ...(review === undefined ? {} : { review }),
      }
    })
    const byId = new Map(rows.map((row) => [row.id, row]))
    const entries = new Map(kept.map(({ id, entry }) => [id, entry]))
    resolve = referenceResolver(linkable)
    linked = { links, rows, byId, entries }
    return linked
  }

  const filesNamedBy = (read: ReadEntry): string[] => {
    const { title, summary, details = "", rationale = "" } = read.entry
    const known = named.get(read) ?? pathsIn([title, summary, details, rationale].join("\n"))
    named.set(read, known)
    return known
  }

  return {
    now,
    roster: () => roster,
    file: (path: string) => files.get(path),
    text: (path: string) => texts.get(path),
    paths: () => [...texts.keys()],

    /** Takes the current text of files; null: the file is gone. */
    put(changed: readonly { path: string; text: string | null }[]): void {
      for (const { path, text } of changed) {
        if (text === null) texts.delete(path)
        else texts.set(path, text)
      }
      const names = readRoster()
      const isSame = [...names.values()].join("\n") === [...roster.values()].join("\n")
      roster = names
      const again = isSame ? changed.map(({ path }) => path) : [...texts.keys()]
      if (!isSame) files = new Map()
      for (const path of again) {
        const text = texts.get(path)
        const place = entryPlaceOf(path.slice(path.indexOf("/") + 1))
        if (text === undefined || !place) files.delete(path)
        else if (files.get(path)?.text !== text) files.set(path, readFile(path, text, place))
      }
      linked = undefined
    },

    rows: (): EntryRow[] => link().rows,

    entry(id: string): ReadEntry | undefined {
      return link().entries.get(id)
    },

    detail(id: string): EntryDetail | undefined {
      const { byId, entries } = link()
      const [row, read] = [byId.get(id), entries.get(id)]
      if (!row || !read) return undefined
      const { details = "", rationale = "", contributors, expires } = read.entry
      return { row, details, rationale, contributors, ...(expires === undefined ? {} : { expires }) }
    },

    /** By id, by time, or by what people call it for short. */
    resolve(reference: string): EntryRow | undefined {
      const { byId } = link()
      const found = resolve?.(reference)
      return found?.kind === "found" ? byId.get(found.id) : undefined
    },

    /** What `drey validate` reports of one file, in the text as it is now. */
    problems(path: string): Problem[] {
      const file = files.get(path)
      const text = texts.get(path)
      if (text === undefined) return []
      const content = findSensitive(text).map(sensitiveDiagnostic)
      if (!file) return content
      const own = new Set(file.read.entries.map(({ id }) => id))
      const references = link().links.diagnostics.flatMap(({ id, diagnostic }): Diagnostic[] =>
        own.has(id) ? [{ ...diagnostic, line: lineOfReference(file, id, diagnostic), entryId: id }] : [],
      )
      const legacy = file.read.entries.flatMap((entry): Problem[] => {
        if (entry.format !== "legacy" || entry.unit !== "entry" || file.place.kind === "skill") return []
        const message = "This entry is in a legacy format. Convert it, so that every program reads it in the same way."
        return [{ line: entry.line, code: "legacy-entry", severity: "info", message, entryId: entry.id }]
      })
      return [...content, ...file.read.diagnostics, ...references, ...legacy].sort(
        (one, other) => one.line - other.line,
      )
    },

    search(text: string, { all = false, limit = 200 } = {}) {
      const parsed = parseQuery(text)
      if (parsed.kind === "invalid") return { rows: [] as SearchHit[], problems: parsed.problems }
      const { query } = parsed
      const { rows, entries } = link()
      const asksForStatus = query.filters.some(({ key }) => key === "status")
      const found = rows.flatMap((row) => {
        const read = entries.get(row.id)
        const superseded = row.supersededBy.length > 0
        if (!read || (superseded && !all && !asksForStatus)) return []
        const item = { entry: read.entry, id: row.id, source: row.source, superseded }
        return matchesQuery(query, item, now()) ? [{ row, read }] : []
      })
      const rank = ({ row }: { row: EntryRow }) => (titleMatches(query, row.title) ? 1 : 0)
      const best = found.sort((one, other) => rank(other) - rank(one) || other.row.at - one.row.at).slice(0, limit)
      return {
        rows: best.map(({ row, read }): SearchHit => ({ ...row, snippet: snippetOf(query, read.entry) })),
        problems: [],
      }
    },

    completeQuery(text: string, cursor: number) {
      const { rows } = link()
      const values: QueryValues = {
        author: [...new Set(rows.map(({ author }) => author))],
        tag: [...new Set(rows.flatMap(({ tags }) => tags))],
        scope: [...new Set(rows.map(({ scope }) => scope))],
      }
      return completeQuery(text, cursor, values)
    },

    /** The entries that name one: by what they replace, by what replaces them, or as related. */
    references(id: string): EntryRow[] {
      const { rows, entries } = link()
      return rows.filter((row) => {
        if (row.supersedes.includes(id) || row.supersededBy.includes(id)) return true
        const related = entries.get(row.id)?.entry.related ?? []
        return related.some(({ type, identifier }) => {
          const found = type === "decision" || type === "memory" ? resolve?.(identifier) : undefined
          return found?.kind === "found" && found.id === id && row.id !== id
        })
      })
    },

    /** Active entries that name a file of the repository, or a folder that it is in. */
    naming(path: string): EntryRow[] {
      const { rows, entries } = link()
      return rows.filter(({ id, status }) => {
        const read = entries.get(id)
        return status !== "superseded" && read !== undefined && filesNamedBy(read).some((name) => meansFile(path, name))
      })
    },

    /** Active entries that write one of these names in backticks, by name. */
    mentioning(symbols: readonly string[]): { symbol: string; ids: string[] }[] {
      const wanted = new Set(symbols)
      const found = new Map<string, string[]>()
      const { rows, entries } = link()
      for (const { id, status } of rows) {
        const read = entries.get(id)
        if (status === "superseded" || !read) continue
        const { title, summary, details = "", rationale = "" } = read.entry
        const quoted = `${title}\n${summary}\n${details}\n${rationale}`.match(/`[^`\n]{3,80}`/g) ?? []
        const names = new Set(
          quoted.map(
            (word) =>
              word
                .slice(1, -1)
                .replace(/\(.*$/, "")
                .split(/[.#]|::/)
                .at(-1) ?? "",
          ),
        )
        for (const name of names) if (wanted.has(name)) found.set(name, [...(found.get(name) ?? []), id])
      }
      return [...found].map(([symbol, ids]) => ({ symbol, ids }))
    },

    members(): MemberRow[] {
      const teamText = [...texts].find(([path]) => /^[^/]+\/team\.md$/.test(path))?.[1] ?? ""
      const roles = memberRoles(teamText)
      const { rows } = link()
      return [...roster.values()].map((name) => {
        const key = name.toLowerCase()
        const own = (file: string) =>
          [...texts.keys()].find((path) => path.toLowerCase().endsWith(`/agents/${key}/${file}`))
        const [charter, history] = [own("charter.md"), own("history.md")]
        return {
          name,
          role: roles.get(key) ?? "",
          entries: rows.filter(({ author }) => author.toLowerCase() === key).length,
          ...(charter === undefined ? {} : { charter }),
          ...(history === undefined ? {} : { history }),
        }
      })
    },

    skills(): SkillRow[] {
      return [...texts].flatMap(([path, text]) => {
        const name = /\/skills\/([^/]+)\/SKILL\.md$/.exec(path)?.[1]
        if (name === undefined) return []
        return [{ name, description: readSkill(text, name).description, path }]
      })
    },

    /** decisions.md with a proposal in it, for a preview. */
    withEntries(path: string, pieces: readonly string[]): string {
      const text = texts.get(path) ?? "# Team decisions\n"
      return appendEntries(text, pieces, { kind: "decisions", fileName: "decisions.md", roster })
    },
  }
}

/** `src/login.ts` means one file; a folder means what is in it; a bare word is no path of the repository. */
function meansFile(path: string, name: string): boolean {
  if (!/[./]/.test(name) || name.length < 4) return false
  return isFileMeant(path, name) || isFileMeant(name, path)
}

function lineOfReference({ text, read }: ModelFile, id: string, { message, line }: Diagnostic): number {
  const entry = read.entries.find((each) => each.id === id)
  const reference = /"([^"]+)"/.exec(message)?.[1]
  if (!entry || reference === undefined) return line
  const lines = text.split("\n").slice(entry.line, entry.endLine)
  const at = lines.findIndex((each) => each.includes(reference))
  return at === -1 ? line : entry.line + 1 + at
}

function titleMatches({ terms }: Query, title: string): boolean {
  const folded = foldText(title)
  return terms.some(({ text, negated }) => !negated && folded.includes(foldText(text)))
}

/** The line with the first word of the query, else the summary. */
function snippetOf({ terms }: Query, { summary, title, details = "", rationale = "" }: Entry): string {
  const words = terms.filter(({ negated }) => !negated).map(({ text }) => foldText(text))
  const lines = [summary, ...details.split("\n"), ...rationale.split("\n")].filter((line) => line.trim() !== "")
  const line = lines.find((each) => each !== title && words.some((word) => foldText(each).includes(word))) ?? summary
  return line === title ? (lines.find((each) => each !== title) ?? "") : line
}
