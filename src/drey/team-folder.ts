import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { writeFileAtomic } from "../disk/atomic-write.ts"
import { loginPath } from "../disk/home-files.ts"
import { safeTarget } from "../disk/safe-paths.ts"
import { DreyError, exitCode } from "../errors.ts"
import type { Check } from "../formats/check.ts"
import type { OwnStatement } from "../learning/writer/rules/own-statement.ts"
import type { Project } from "../project.ts"
import type { BindingRule } from "../recall/binding-rules.ts"
import type { CondensedSentence } from "../team/archive/condensed-digest.ts"
import type { ArchiveOptions } from "../team/archive/decision-archive.ts"
import type { Condense } from "../team/archive/history-summary.ts"
import type { ExportResult } from "../team/bundle/bundle-export.ts"
import type { BundleImport, ImportMode } from "../team/bundle/bundle-import.ts"
import type { ConversionPlan, ConversionResult, ConvertStoreOptions } from "../team/conversion/conversion.ts"
import type { ReviewAnswer } from "../team/conversion/file-conversion.ts"
import type { BugReport } from "../team/doctor/bug-report.ts"
import type { Editor } from "../team/edit/item-edit.ts"
import type { MergeRequest } from "../team/git/three-way-merge.ts"
import type { ForeignFormat } from "../team/import/foreign-entry.ts"
import type { ForeignImport } from "../team/import/foreign-import.ts"
import type { FoundSource } from "../team/import/foreign-sources.ts"
import type { TeamInbox } from "../team/inbox/contents.ts"
import type { MergeOptions } from "../team/merge/inbox-merge.ts"
import type { Capture, RememberOutcome, Statement } from "../team/remember.ts"
import type { ScrubPlan } from "../team/scrub.ts"
import type { SetUpOptions, SetUpPlan, SetUpResult } from "../team/setup.ts"
import { requireStore } from "../team/team-folder.ts"
import type { TeamStats } from "../team/team-stats.ts"
import type { TidyResult, TidyStep } from "../team/team-tidy.ts"
import type { StoreChange } from "../team/undo.ts"
import type { UpkeepOutcome } from "../team/upkeep.ts"
import type { Validation } from "../team/validation.ts"
import { addSeenRules, isHintDue, type RepositoryTrust } from "../trust.ts"
import { openClients } from "./clients.ts"
import { openStalenessOf } from "./memories.ts"
import type { EntriesResult } from "./search.ts"
import type { ServerClient } from "./server.ts"

export type ImportOptions = {
  /** The format of another tool's file; detected when not given. */
  format?: ForeignFormat
  /** What happens to an existing team folder. Default: `new`, which refuses. */
  mode?: ImportMode
  skillsOnly?: boolean
  dryRun?: boolean
}

/** What happens by itself after a session. */
export type Upkeep = {
  /**
   * Merges what needs no person and condenses long histories; does nothing in an untrusted repository.
   * @example const outcome = await drey.team.upkeep.run()
   */
  run(): Promise<UpkeepOutcome>
  /**
   * The number of proposals that wait for the user; 0 if all of them were shown before.
   * @example const count = await drey.team.upkeep.unshown()
   */
  unshown(): Promise<number>
}

export type ValidationTarget =
  | { kind: "store" }
  | { kind: "files"; paths: string[] }
  | { kind: "staged" }
  | { kind: "alone"; path: string }

/** `type` is detected from the words when not given; `author` defaults to git's user; `propose` adds to the inbox instead. */
export type RememberOptions = Omit<Statement, "type" | "text" | "author" | "onBehalfOf"> & {
  type?: Statement["type"] | undefined
  author?: string | undefined
  propose?: boolean
}

/** Legacy entries to SEM: a plan first, then the change, which can be undone. */
export type Conversion = {
  /** @example const plan = await drey.team.conversion.plan({}) */
  plan(options: ConvertStoreOptions): Promise<ConversionPlan>
  /** @example await drey.team.conversion.apply(plan) */
  apply(plan: ConversionPlan): Promise<ConversionResult>
  /** @example await drey.team.conversion.undo("2026-02-15T143215Z") */
  undo(time: string): Promise<{ restored: string[] }>
  /**
   * Writes the entries that need review to a file, each with its question; returns their number.
   * @example await drey.team.conversion.writeReview("review.md", plan)
   */
  writeReview(path: string, plan: ConversionPlan): Promise<number>
  /** @example const answers = await drey.team.conversion.readReview("review.md") */
  readReview(path: string): Promise<ReadonlyMap<string, ReviewAnswer>>
}

/** Creates the team folder, or updates the files that Drey installed in it. */
export type SetUp = {
  /** @example const plan = await drey.team.setUp.plan({ command: "init" }) */
  plan(options: SetUpOptions): Promise<SetUpPlan>
  /** @example await drey.team.setUp.apply(plan) */
  apply(plan: SetUpPlan): Promise<SetUpResult>
}

/** Replaces secrets and personal data in the team folder. */
export type Scrub = {
  /** @example const plan = await drey.team.scrub.plan() */
  plan(): Promise<ScrubPlan>
  /** @example await drey.team.scrub.apply(plan) */
  apply(plan: ScrubPlan): Promise<void>
}

/** The journal of changes to the team folder. */
export type Changes = {
  /** @example const [first] = await drey.team.changes.list() */
  list(): Promise<StoreChange[]>
  /**
   * Reverts the last change; with `dryRun`, only returns it.
   * @example await drey.team.changes.undo()
   */
  undo(options?: { dryRun?: boolean }): Promise<StoreChange[]>
  /**
   * Deletes the old texts kept for undo; returns the number of changes.
   * @example await drey.team.changes.forget()
   */
  forget(): Promise<number>
}

/** Files of the repository and of other tools that hold knowledge. */
export type KnowledgeFiles = {
  /**
   * Makes searches find a Markdown file of the repository that agents read by themselves, such as AGENTS.md, without copying it.
   * @example await drey.team.sources.index("AGENTS.md")
   */
  index(path: string): Promise<{ path: string; isNew: boolean }>
  /**
   * Finds rules files, decision records and memories of other tools that `drey.team.import` can read.
   * @example const found = await drey.team.sources.find()
   */
  find(): Promise<FoundSource[]>
}

/** The team folder, `.squad`: entries, inbox, archives, and everything that changes them. */
export type TeamFolder = {
  /**
   * Whether the user trusts this repository on this machine.
   * @example const { kind } = await drey.team.trust()
   */
  trust(): Promise<RepositoryTrust>
  /**
   * True once, when the user should be shown how to trust this repository.
   * @example if (await drey.team.isTrustHintDue()) print("Run drey trust")
   */
  isTrustHintDue(): Promise<boolean>
  /**
   * Rules that others added or changed since the last call.
   * @example const rules = await drey.team.changedRules()
   */
  changedRules(): Promise<BindingRule[]>
  /**
   * Checks the whole folder, some files, what is staged for the next commit, or one file by itself.
   * @example const { diagnostics } = await drey.team.validate({ kind: "store" })
   */
  validate(target: ValidationTarget): Promise<Validation>
  /**
   * Checks everything Drey depends on; changes nothing.
   * @example const failed = (await drey.team.check()).filter(({ status }) => status === "fail")
   */
  check(): Promise<Check[]>
  /**
   * What a maintainer needs for a bug report: checks, versions, settings, sizes and log lines, without any text of a memory.
   * @example const report = await drey.team.bugReport("0.1.0")
   */
  bugReport(version: string): Promise<BugReport>
  /**
   * Counts entries week by week.
   * @example const { stats } = await drey.team.stats({ weeks: 12 })
   */
  stats(options: { weeks: number }): Promise<{ stats: TeamStats; unreadable: EntriesResult["unreadable"] }>
  /**
   * Merges the inbox into decisions.md. With `dryRun`, here and below, nothing is written.
   * @example const { actions } = await drey.team.merge({ dryRun: true })
   */
  merge(options?: MergeOptions & { dryRun?: boolean }): Promise<TidyResult>
  /**
   * Moves entries out of a decisions.md that is over its limit. They are still found.
   * @example await drey.team.archive()
   */
  archive(options?: ArchiveOptions & { dryRun?: boolean }): Promise<TidyResult>
  /**
   * Moves the oldest parts of long histories to their archives and leaves a digest.
   * @example await drey.team.summarize()
   */
  summarize(options?: { dryRun?: boolean }): Promise<TidyResult>
  /**
   * Merges, archives and summarizes in one change, and moves old logs.
   * @example await drey.team.tidy({ dryRun: true })
   */
  tidy(options?: MergeOptions & ArchiveOptions & { pruneLogs?: boolean; dryRun?: boolean }): Promise<TidyResult>
  /**
   * Saves a rule, a decision or a note, in any language. What an agent asks for becomes a proposal in the inbox.
   * @example const saved = await drey.team.remember("Indent with tabs")
   */
  remember(text: string, options?: RememberOptions): Promise<RememberOutcome>
  /**
   * Saves a rule that the user stated, if the text reads like one.
   * @example await drey.team.captureDirective("Always use pnpm", "alice")
   */
  captureDirective(text: string, author: string, options?: { force?: boolean }): Promise<Capture>
  /**
   * Whether a message of the user states a rule for the team. Reads no file.
   * @example if (await drey.team.statesRule("From now on, use pnpm.")) print("a rule")
   */
  statesRule(message: string): Promise<boolean>
  /**
   * Saves every rule in a message of the user.
   * @example const captured = await drey.team.captureRules("From now on, use pnpm.")
   */
  captureRules(message: string): Promise<(Capture & { words: string })[]>
  /**
   * Merges one file for git; the result replaces our version.
   * @example await drey.team.mergeForGit({ base, ours, theirs, path })
   */
  mergeForGit(request: MergeRequest): Promise<void>
  /**
   * Writes team memory, or its skills alone, to one file; default `drey-export.json` beside the team folder. With `write` it gets
   * the document instead.
   * @example const { path } = await drey.team.export()
   */
  export(options?: { out?: string; skillsOnly?: boolean; write?: (document: string) => void }): Promise<ExportResult>
  /**
   * Imports an export of Drey or Squad, or proposes another tool's notes to the inbox.
   * @example await drey.team.import("docs/adr", { dryRun: true })
   */
  import(path: string, options?: ImportOptions): Promise<BundleImport | ForeignImport>
  /**
   * Writes a file that the user named, readable by them alone; no link is followed out of the repository.
   * @example await drey.team.saveAs("report.json", text)
   */
  saveAs(path: string, text: string): Promise<void>
  /**
   * The decisions as today's SquadUI reads them; with `out`, writes them and everything its panels need to `<out>/.squad`.
   * @example const { text } = await drey.team.squadUiView()
   */
  squadUiView(options?: { out?: string }): Promise<{ text: string; path?: string; files?: string[] }>
  readonly conversion: Conversion
  readonly setUp: SetUp
  readonly scrub: Scrub
  readonly changes: Changes
  readonly upkeep: Upkeep
  readonly sources: KnowledgeFiles
  /** Changes single entries and learned memories for the user; each change can be undone. */
  readonly editor: Editor
  /** The proposals that wait for the user. */
  readonly inbox: TeamInbox
}

export function openTeamFolder(project: Project, server: ServerClient): TeamFolder {
  const { home, now, ownWrite, store, options } = project
  const isAgent = options.agent !== undefined
  const tidy = async (command: string, steps: TidyStep[], dryRun: boolean | undefined) => {
    const { tidyStore } = await import("../team/team-tidy.ts")
    const act = () => tidyStore(requireStore(store()), command, steps, now(), { dryRun: dryRun === true })
    return dryRun ? act() : ownWrite(act)
  }
  /** What the configured model makes of the older parts of long histories; undefined without a model. */
  const condenseWithModel = async (
    historyBytes: number,
    except: ReadonlySet<string> = new Set(),
  ): Promise<Condense | undefined> => {
    const { writer } = project.settings()
    const [folder] = requireStore(store()).folders
    if (!folder || writer.kind === "rules" || writer.kind === "unusable" || (await project.isUntrusted()))
      return undefined
    const { listOlderEntries } = await import("../team/team-tidy.ts")
    const older = listOlderEntries(store(), folder, { kind: "summarize", historyBytes, except }, now())
    if (older.size === 0) return undefined
    const { openWriter } = await import("../learning/writer/writer-choice.ts")
    const { condenseHistory } = await import("../learning/history-condenser.ts")
    const model = await openWriter(writer, project.environment).catch((error: unknown) => {
      if (!(error instanceof DreyError)) throw error
      project.warn(`Histories are summarized without a model: ${error.message}`)
    })
    if (!model) return undefined
    const answers = new Map<string, { asked: string; sentences: CondensedSentence[] }>()
    const keyOf = (entries: readonly { id: string }[]) => entries.map(({ id }) => id).join(" ")
    for (const [path, entries] of older) {
      const condensed = await condenseHistory(model, entries)
      if (condensed.kind === "done") answers.set(path, { asked: keyOf(entries), sentences: condensed.sentences })
      else if (condensed.reason !== undefined)
        project.warn(`${path}: the model's summary was not used: ${condensed.reason}`)
    }
    return (path, entries) => {
      const answer = answers.get(path)
      return answer?.asked === keyOf(entries) ? answer.sentences : undefined
    }
  }
  const usesOfEntries = async () => {
    const { indexPlaceOf } = await import("../recall/sync/current-index.ts")
    const { countRelevantUses } = await import("../recall/context/context-log.ts")
    const [folder] = requireStore(store()).folders
    const uses = folder ? countRelevantUses(indexPlaceOf(home, folder.path).contexts) : new Map<string, number>()
    return (id: string) => uses.get(id) ?? 0
  }

  return {
    trust: project.trust,
    async isTrustHintDue() {
      return (await project.trust()).kind === "untrusted" && isHintDue(home, store())
    },
    async changedRules() {
      const current = await project.trust()
      if (current.kind !== "trusted" || !current.record) return []
      const { hashesOf, listRules } = await import("../recall/binding-rules.ts")
      const { answer } = await (await project.recall()).ask(listRules)
      await addSeenRules(home, store(), hashesOf(answer), { hadSession: true })
      if (!current.record.hadSession) return []
      const seen = new Set(current.record.rules ?? hashesOf(answer))
      return answer.filter(({ hash }) => !seen.has(hash))
    },
    async validate(target) {
      const { validateAlone, validateFiles, validateStaged, validateStore } = await import("../team/validation.ts")
      if (target.kind === "alone") return validateAlone(requireStore(store()), target.path, now())
      if (target.kind === "files") return validateFiles(store(), target.paths, now())
      const found = requireStore(store())
      return target.kind === "staged" ? validateStaged(found, now()) : validateStore(found, now())
    },
    check: () => checkEverything(project, server),
    async bugReport(version) {
      const { makeBugReport } = await import("../team/doctor/bug-report.ts")
      const { readConfigOrNothing } = await import("../team/doctor/doctor.ts")
      const { environment } = project
      const config = readConfigOrNothing(store(), environment)
      const checks = await checkEverything(project, server)
      return makeBugReport({ version, checks, config, store: store(), home, environment })
    },
    async stats({ weeks }) {
      const { computeStats } = await import("../team/team-stats.ts")
      const { readStore } = await import("../team/team-entries.ts")
      const { entries, unreadable } = readStore(requireStore(store()), now())
      return { stats: computeStats(entries, weeks, now()), unreadable }
    },
    async merge({ dryRun, ...mergeOptions } = {}) {
      const step = { kind: "merge", squadUi: project.config().compat.squadui, isAgent, ...mergeOptions } as const
      return tidy("merge", [step], dryRun)
    },
    async archive({ dryRun, ...archiveOptions } = {}) {
      return tidy("archive", [{ kind: "archive", usesOf: await usesOfEntries(), ...archiveOptions }], dryRun)
    },
    async summarize({ dryRun } = {}) {
      const { historyBytes } = project.config().limits
      const condense = dryRun ? undefined : await condenseWithModel(historyBytes)
      return tidy("summarize", [{ kind: "summarize", historyBytes, ...(condense && { condense }) }], dryRun)
    },
    async tidy({ dryRun, quarterly = false, pruneLogs = false, ...mergeOptions } = {}) {
      const { compat, limits } = project.config()
      const condense = dryRun ? undefined : await condenseWithModel(limits.historyBytes)
      const steps: TidyStep[] = [
        { kind: "merge", squadUi: compat.squadui, isAgent, ...mergeOptions },
        { kind: "archive", quarterly, usesOf: await usesOfEntries() },
        { kind: "summarize", ...limits, ...(condense && { condense }) },
        { kind: "logs", prune: pruneLogs },
      ]
      return tidy("tidy", steps, dryRun)
    },
    upkeep: {
      async run() {
        const { upkeep, limits, compat } = project.config()
        const [folder] = requireStore(store()).folders
        if (!upkeep.auto) return { kind: "skipped", why: "upkeep.auto is false" }
        if (!folder || (await project.trust()).kind !== "trusted")
          return { kind: "skipped", why: "the repository is not trusted" }
        const { keepUp, undoneUpkeep } = await import("../team/upkeep.ts")
        const condense = await condenseWithModel(limits.historyBytes, undoneUpkeep(folder))
        return ownWrite(() => keepUp(folder, store(), { ...limits, squadUi: compat.squadui, condense }, now()))
      },
      async unshown() {
        const { takeUnshownProposals } = await import("../team/upkeep.ts")
        const [folder] = store().folders
        return folder && !(await project.isUntrusted()) ? takeUnshownProposals(folder, store().root) : 0
      },
    },
    async remember(text, { propose = false, ...given } = {}) {
      const { remember } = await import("../team/remember.ts")
      const { typeOfStatement } = await import("../learning/statement-type.ts")
      const { reviewOfAgentRule } = await import("../team/team-rules.ts")
      const found = requireStore(store())
      const { agent } = options
      const named = given.author?.trim() || undefined
      const { type, words } = given.type === undefined ? typeOfStatement(text) : { type: given.type, words: text }
      const squadUi = project.config().compat.squadui
      if (agent !== undefined) {
        const review = type === "directive" ? reviewOfAgentRule : true
        const statement = { ...given, type, text: words, author: agent, onBehalfOf: named }
        return remember(found, statement, now(), { propose: review })
      }
      const author = named ?? (await userName(project))
      const review = propose && `proposed by ${author}`
      return ownWrite(() =>
        remember(found, { ...given, type, text: words, author }, now(), { propose: review, squadUi }),
      )
    },
    async captureDirective(text, author, { force = false } = {}) {
      const { captureDirective } = await import("../team/remember.ts")
      const { agent } = options
      const found = requireStore(store())
      if (agent === undefined)
        return ownWrite(() => captureDirective(found, { text, author }, now(), { isJudged: force }))
      const { reviewOfAgentRule: review } = await import("../team/team-rules.ts")
      return captureDirective(found, { text, author: agent, onBehalfOf: author }, now(), { review, isJudged: force })
    },
    statesRule: async (message) => (await readStatements(message)).length > 0,
    async captureRules(message) {
      const { captureDirective } = await import("../team/remember.ts")
      const captures: (Capture & { words: string })[] = []
      if (await project.isUntrusted()) return captures
      const statements = await readStatements(message)
      if (statements.length === 0) return captures
      const author = await userName(project)
      for (const { words, certainty } of statements) {
        const review = certainty === "own" ? undefined : "found in a longer message: confirm that it is a rule"
        const write = () =>
          captureDirective(requireStore(store()), { text: words, author }, now(), { review, isJudged: true })
        captures.push({ ...(await ownWrite(write, true)), words })
      }
      return captures
    },
    async mergeForGit(request) {
      const { mergeForGit } = await import("../team/git/three-way-merge.ts")
      mergeForGit(request, store())
    },
    async export({ out, skillsOnly = false, write } = {}) {
      const { exportBundle } = await import("../team/bundle/bundle-export.ts")
      if (write) return exportBundle(store(), { skillsOnly, out: undefined, write }, now())
      const { writeFileAtomic } = await import("../disk/atomic-write.ts")
      const path = safeTarget(project.root, out ?? join(project.root, "drey-export.json"))
      return exportBundle(store(), { skillsOnly, out: path, write: (text) => writeFileAtomic(path, text) }, now())
    },
    async import(path, { format, mode = "new", skillsOnly = false, dryRun = false } = {}) {
      const { isBundle } = await import("../team/import/foreign-sources.ts")
      const { readMem0 } = await import("../memories/report/mem0.ts")
      if (format !== undefined || !isBundle(path, readMem0)) {
        const { importForeign } = await import("../team/import/foreign-import.ts")
        return importForeign(store(), path, { dryRun, readMem0, ...(format === undefined ? {} : { format }) }, now())
      }
      if (isAgent && !dryRun)
        throw new DreyError("Not done: only the user can import another team's files, which bring its rules", {
          hint: `Ask the user to run: drey import ${path}`,
          exitCode: exitCode.no,
        })
      const { importBundle } = await import("../team/bundle/bundle-import.ts")
      return ownWrite(() => importBundle(store(), path, { mode, skillsOnly, dryRun }, now()))
    },
    sources: {
      async index(path) {
        const { addIndexedSource } = await import("../team/import/indexed-sources.ts")
        return ownWrite(() => addIndexedSource(store(), resolve(path), now()))
      },
      async find() {
        const { findForeignSources } = await import("../team/import/foreign-sources.ts")
        const { readMem0 } = await import("../memories/report/mem0.ts")
        const { environment, root } = project
        const { readDecisionCommits } = await import("../team/import/decision-commits.ts")
        const files = findForeignSources({ root, readMem0 }, { home: environment.HOME ?? homedir(), environment })
        const { format, entries, skipped } = await readDecisionCommits(root)
        const history = { path: ".git", format, entries: entries.length, skipped, isReadByAgents: false }
        return entries.length === 0 || !existsSync(join(root, ".git")) ? files : [...files, history]
      },
    },
    async saveAs(path, text) {
      if (!existsSync(dirname(resolve(path))))
        throw new DreyError(`${path} cannot be written: its folder does not exist`)
      writeFileAtomic(safeTarget(project.root, path), text, { mode: 0o600 })
    },
    async squadUiView({ out } = {}) {
      const { readSquadUiFiles, writeSquadUiFolder } = await import("../team/squadui-folder.ts")
      const files = readSquadUiFiles(store(), now(), project.warn)
      const { text } = files[0]
      if (out === undefined) return { text }
      const folder = writeSquadUiFolder(store(), files, out)
      const paths = files.map(({ path }) => join(folder, path))
      return { text, path: join(folder, "decisions.md"), files: paths }
    },
    conversion: {
      async plan(convertOptions) {
        const { planConversion } = await import("../team/conversion/conversion.ts")
        const { compat } = project.config()
        return planConversion(store(), { squadUi: compat.squadui, ...convertOptions }, now())
      },
      async apply(plan) {
        const { applyConversion } = await import("../team/conversion/conversion.ts")
        return ownWrite(async () => applyConversion(plan, now()))
      },
      async undo(time) {
        const { undoConversion } = await import("../team/conversion/conversion.ts")
        return ownWrite(async () => undoConversion(requireStore(store()), time))
      },
      async writeReview(path, plan) {
        const { writeReviewFile } = await import("../team/conversion/review-file.ts")
        return writeReviewFile(safeTarget(project.root, path), plan)
      },
      async readReview(path) {
        const { readReviewAnswers } = await import("../team/conversion/review-file.ts")
        return readReviewAnswers(path)
      },
    },
    setUp: {
      async plan(setUpOptions) {
        const { planSetUp } = await import("../team/setup.ts")
        return planSetUp(setUpOptions.command === "init" ? store() : requireStore(store()), setUpOptions, now())
      },
      async apply(plan) {
        const { applySetUp } = await import("../team/setup.ts")
        const result = await ownWrite(() => applySetUp(plan, now()))
        project.find() // there may be a team folder now
        return result
      },
    },
    scrub: {
      async plan() {
        const { planScrub } = await import("../team/scrub.ts")
        return planScrub(requireStore(store()))
      },
      async apply(plan) {
        const { applyScrub } = await import("../team/scrub.ts")
        await ownWrite(() => applyScrub(plan, now()))
      },
    },
    changes: {
      async list() {
        const { listStoreChanges } = await import("../team/undo.ts")
        return listStoreChanges(requireStore(store()))
      },
      async undo({ dryRun = false } = {}) {
        const { nextUndo, undo } = await import("../team/undo.ts")
        return dryRun ? nextUndo(requireStore(store())) : ownWrite(() => undo(requireStore(store()), now()))
      },
      async forget() {
        const { forgetChanges } = await import("../team/change.ts")
        return forgetChanges(requireStore(store()).folders)
      },
    },
    editor: editorOf(project),
    inbox: inboxOf(project),
  }
}

async function readStatements(message: string): Promise<OwnStatement[]> {
  const { ownStatements } = await import("../learning/writer/rules/own-statement.ts")
  return ownStatements(message)
}

/** The user as the author of what they say. */
async function userName({ environment, root, config }: Project): Promise<string> {
  const { gitSetting } = await import("../team/git/repository.ts")
  return environment.DREY_USER || gitSetting(root, "user.name") || config().user
}

async function checkEverything(project: Project, server: ServerClient): Promise<Check[]> {
  const { checkTrust, runDoctor } = await import("../team/doctor/doctor.ts")
  const { checkIndex } = await import("../recall/sync/synced-recall.ts")
  const { checkLearning } = await import("../learning/learning-status.ts")
  const store = project.store()
  const [folder] = store.folders
  const hasTeamFolder = folder !== undefined
  const { indexPlaceOf } = await import("../recall/sync/current-index.ts")
  const kept = folder && indexPlaceOf(project.home, folder.path).findings
  const sessions = project.sessionsIfAny()
  const checks = [
    ...(await runDoctor(store, { environment: project.environment, now: project.now(), kept })),
    ...(await checkIndex(project.recallOptions())),
    ...(hasTeamFolder ? [checkTrust(await project.trust())] : []),
    ...(sessions === undefined ? [] : [await checkSessionsIn(sessions, project.now())]),
    ...(await openClients(project).check()),
    ...(existsSync(loginPath(project.home)) ? await checkLogin(project.home, server) : []),
  ]
  if (!hasTeamFolder) return checks
  const { checkNames } = await import("../memories/staleness/staleness.ts")
  const names = await checkNames(() => openStalenessOf(project))
  return [...checks, names, ...(await checkLearning(await project.learning()))]
}

/** The code for sessions and for the team server is loaded only where there are any. */
async function checkSessionsIn(folder: string, now: Date): Promise<Check> {
  if (!existsSync(folder)) return { name: "sessions", status: "pass", message: "There are no sessions." }
  const { checkSessions } = await import("../sessions/session-validation.ts")
  return checkSessions(folder, now)
}

async function checkLogin(home: string, server: ServerClient): Promise<Check[]> {
  const { checkTeam } = await import("../server/client/status.ts")
  return checkTeam(home, server.status)
}

/** Shared by the editor and the inbox. */
async function writingContext(project: Project) {
  const { compat } = project.config()
  const user = await userName(project)
  return { context: project.governedContext({ warn: project.warn }), user, squadUi: compat.squadui }
}

function editorOf(project: Project): Editor {
  const editor = project.oncePerStore(async () => {
    const { openEditor } = await import("../learning/memory-editor.ts")
    const learned = async () => (await project.learning()).editor()
    return project.ownWrites(openEditor({ ...(await writingContext(project)), learned }), [
      "edit",
      "supersede",
      "replaceBy",
      "undo",
    ])
  })
  return {
    read: async (id) => (await editor()).read(id),
    edit: async (id, change) => (await editor()).edit(id, change),
    supersede: async (id, change) => (await editor()).supersede(id, change),
    replaceBy: async (id, change) => (await editor()).replaceBy(id, change),
    pin: async (id, change) => (await editor()).pin(id, change),
    forget: async (id, change) => (await editor()).forget(id, change),
    nextUndo: async () => (await editor()).nextUndo(),
    undo: async (key) => (await editor()).undo(key),
  }
}

function inboxOf(project: Project): TeamInbox {
  const inbox = project.oncePerStore(async () => {
    const { openInbox } = await import("../team/inbox/inbox.ts")
    const noteRefusal = async (memory: string, reason: string | undefined) =>
      (await project.learning()).noteRefusal(memory, reason)
    return project.ownWrites(openInbox({ ...(await writingContext(project)), noteRefusal }), ["accept", "mergeInto"])
  })
  return {
    list: async () => (await inbox()).list(),
    accept: async (key, change) => (await inbox()).accept(key, change),
    mergeInto: async (key, change) => (await inbox()).mergeInto(key, change),
    refuse: async (key, change) => (await inbox()).refuse(key, change),
  }
}
