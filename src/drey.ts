import { join, resolve } from "node:path"
import { readConfig } from "./config.ts"
import { writeFileAtomic } from "./disk/write-file-atomic.ts"
import type { Query } from "./formats/query.ts"
import type { Timestamp } from "./formats/timestamp.ts"
import type { ReviewAnswer } from "./squad/convert-file.ts"
import type { ConversionPlan, ConversionResult, ConvertStoreOptions } from "./squad/convert-store.ts"
import { findStore, requireStore } from "./squad/find-store.ts"
import { readStore, type StoreEntry } from "./squad/read-store.ts"
import { selectEntries } from "./squad/select-entries.ts"
import type { Validation } from "./squad/validate-store.ts"

export type DreyOptions = {
  /** Where to look for the team's folder; upwards from here. Default: the working directory. */
  root?: string
  now?: () => Date
  environment?: NodeJS.ProcessEnv
}

export type EntriesResult = {
  entries: StoreEntry[]
  /** Files that were left out, each with the sentence that says why. */
  unreadable: { path: string; message: string }[]
  /** Places where a merge conflict hides entries. */
  conflicts: { path: string; line: number }[]
}

/** Everything the product can do with one repository. */
export type Drey = {
  readonly root: string
  /** The entries a query asks for, newest first. */
  entries(query: Query, options?: { all?: boolean; asOf?: Timestamp }): EntriesResult
  /** Checks the whole store, the files named, or what is staged for the next commit. */
  validate(what: { kind: "store" } | { kind: "files"; paths: string[] } | { kind: "staged" }): Promise<Validation>
  /** What converting legacy entries to SEM would do; nothing is written. */
  planConversion(options: ConvertStoreOptions): Promise<ConversionPlan>
  applyConversion(plan: ConversionPlan): Promise<ConversionResult>
  undoConversion(time: string): Promise<{ restored: string[] }>
  /** Writes what needs review to a file, each entry with its question; tells how many there are. */
  writeReview(path: string, plan: ConversionPlan): Promise<number>
  readReviewAnswers(path: string): Promise<ReadonlyMap<string, ReviewAnswer>>
  /** The decisions in the form today's SquadUI reads; with `out`, also written to `<out>/.squad/decisions.md`. */
  squadUiView(options?: { out?: string }): Promise<{ text: string; path?: string }>
}

/** Opens the team memory of the repository around `root`. Nothing is read, and little is loaded, before it is asked for. */
export function openDrey(options: DreyOptions = {}): Drey {
  const environment = options.environment ?? process.env
  const now = options.now ?? (() => new Date())
  const start = options.root ?? environment.DREY_TEAM_ROOT ?? environment.SQUAD_TEAM_ROOT ?? process.cwd()
  const store = findStore(start)

  return {
    root: store.root,
    entries(query, { all = false, asOf } = {}) {
      const { entries, unreadable, diagnostics } = readStore(requireStore(store), now())
      const conflicts = diagnostics.flatMap(({ path, diagnostic }) =>
        diagnostic.code === "conflict-marker" ? [{ path, line: diagnostic.line }] : [],
      )
      const selection = { query, all, ...(asOf === undefined ? {} : { asOf }) }
      return { entries: selectEntries(entries, selection, now()), unreadable, conflicts }
    },
    async validate(what) {
      const { validateFiles, validateStaged, validateStore } = await import("./squad/validate-store.ts")
      if (what.kind === "files") return validateFiles(store, what.paths, now())
      return what.kind === "staged"
        ? validateStaged(requireStore(store), now())
        : validateStore(requireStore(store), now())
    },
    async planConversion(convertOptions) {
      const { planConversion } = await import("./squad/convert-store.ts")
      const { compat } = readConfig(requireStore(store).folders[0]?.path, environment)
      return planConversion(store, { squadUi: compat.squadui, ...convertOptions }, now())
    },
    async applyConversion(plan) {
      const { applyConversion } = await import("./squad/convert-store.ts")
      return applyConversion(plan, now())
    },
    async undoConversion(time) {
      const { undoConversion } = await import("./squad/convert-store.ts")
      return undoConversion(requireStore(store), time)
    },
    async writeReview(path, plan) {
      const { writeReviewFile } = await import("./squad/review-file.ts")
      return writeReviewFile(path, plan)
    },
    async readReviewAnswers(path) {
      const { readReviewAnswers } = await import("./squad/review-file.ts")
      return readReviewAnswers(path)
    },
    async squadUiView({ out } = {}) {
      const { renderSquadUiView } = await import("./formats/squadui-view.ts")
      const { entries } = readStore(
        requireStore(store),
        now(),
        ({ source }) => source === "decisions" || source === "inbox",
      )
      const shown = entries.filter(({ supersededBy }) => supersededBy.length === 0)
      const text = renderSquadUiView(shown.map(({ entry }) => entry))
      if (out === undefined) return { text }
      const path = join(resolve(out), ".squad", "decisions.md")
      writeFileAtomic(path, text)
      return { text, path }
    },
  }
}
