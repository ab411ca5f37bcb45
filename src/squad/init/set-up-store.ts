import { existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { readSkill } from "../../formats/skill.ts"
import { generated } from "../../governance/cleared.ts"
import { applyChange, currentText, type FileChange, type RecordedChange, withStore } from "../change.ts"
import { planConversion } from "../convert-store.ts"
import { folderOf, type Store, type StoreFolder } from "../find-store.ts"
import { type HookPlan, installCommitHook, planCommitHook } from "../git/commit-hook.ts"
import { isInGit, isTracked } from "../git/git-questions.ts"
import { type InstalledFile, installMergeDriver } from "../git/merge-driver.ts"
import { indexIgnore } from "../memory/memory-index.ts"
import { compareVersions } from "./compare-versions.ts"
import { hashOf, type InstalledFiles, noteInstalled, readInstalled, writeInstalled } from "./installed-files.ts"
import { readTemplates, type Template } from "./read-templates.ts"
import { starterFiles } from "./starter-files.ts"

/** `init` adds missing files; `upgrade` also replaces files of an older Drey that the user has not changed. */
export type SetUpOptions = {
  command: "init" | "upgrade"
  /** Also replace files that the user has changed. */
  force?: boolean
  /** Also install the pre-commit hook. */
  hook?: boolean
}

/** The planned change of one file, by its path in the repository, and the reason. */
export type SetUpStep = { path: string; change: "created" | "updated" | "kept"; reason: string }

export type SetUpPlan = {
  command: SetUpOptions["command"]
  root: string
  folder: StoreFolder
  steps: SetUpStep[]
  changes: FileChange[]
  /** The changes of git's settings; undefined outside git. */
  git: SetUpStep[] | undefined
  /** The pre-commit hook, if requested. */
  hook: HookPlan | undefined
  /** The installed files after this plan. */
  installed: InstalledFiles
  /** Legacy entries that `convert-memory` would convert, and those that need review. */
  legacy: { convertible: number; review: number }
}

export type SetUpResult = { steps: SetUpStep[]; change: RecordedChange | undefined }

/** Plans a complete team folder without writing anything. Idempotent: planning again after applying yields no changes. */
export function planSetUp(store: Store, options: SetUpOptions, now: Date): SetUpPlan {
  const folder = folderOf(store)
  const hook = options.hook ? planCommitHook(store.root) : undefined
  const planned = installMergeDriver(store.root, { dryRun: true })
  const plan: SetUpPlan = {
    command: options.command,
    root: store.root,
    folder,
    steps: [],
    changes: [],
    git: isInGit(store.root) ? [...planned.map(gitStep), ...(hook ? [hookStep(hook)] : [])] : undefined,
    hook,
    installed: readInstalled(folder),
    legacy: countLegacy(store, now),
  }
  for (const { path, text } of startersFor(folder)) add(plan, path, text)
  // If the index is committed, keep it tracked: other tools may read it.
  if (!isTracked(folder.path, "memory/index.json")) add(plan, indexIgnore.path, indexIgnore.text)
  for (const template of readTemplates()) {
    planTemplate(plan, template, options)
    const present = plan.changes.find(({ path }) => path === template.path)?.after ?? currentText(folder, template.path)
    // Record only files identical to ours; all others must stay marked as changed by the user.
    if (present !== null && hashOf(present) === hashOf(template.text)) noteInstalled(plan.installed, template)
  }
  return plan
}

/** Applies the plan as one change that `undo` can revert, then configures git. */
export async function applySetUp(plan: SetUpPlan, now: Date): Promise<SetUpResult> {
  const { folder, command, changes } = plan
  const change = await withStore(folder, () => {
    const applied = applyChange(folder, command, changes, now)
    writeInstalled(folder, plan.installed) // after a crash, the next call recognizes the files by their text
    return applied
  })
  if (!plan.git) return { steps: plan.steps, change }
  const wiring = installMergeDriver(plan.root).map(gitStep)
  if (plan.hook) installCommitHook(plan.hook)
  return { steps: [...plan.steps, ...wiring, ...(plan.hook ? [hookStep(plan.hook)] : [])], change }
}

function startersFor(folder: StoreFolder): { path: string; text: string }[] {
  // An empty agents folder is enough: each agent gets its own folder when it joins.
  const agents = existsSync(join(folder.path, "agents")) ? [] : [{ path: "agents/.gitkeep", text: "" }]
  return [...starterFiles, ...agents]
}

function add(plan: SetUpPlan, path: string, text: string): void {
  const shown = `${plan.folder.name}/${path}`
  if (existsSync(join(plan.folder.path, path))) {
    plan.steps.push({ path: shown, change: "kept", reason: "already exists" })
    return
  }
  plan.steps.push({ path: shown, change: "created", reason: "new" })
  plan.changes.push({ path, before: null, after: generated(text) })
}

function planTemplate(plan: SetUpPlan, template: Template, options: SetUpOptions): void {
  const { path, text } = template
  const present = currentText(plan.folder, path)
  if (present === null) {
    add(plan, path, text)
    return
  }
  const step = judgeTemplate(template, present, plan.installed[path] ?? [], options)
  plan.steps.push({ path: `${plan.folder.name}/${path}`, ...step })
  if (step.change === "updated") plan.changes.push({ path, before: present, after: generated(text) })
}

function judgeTemplate(
  { path, text, version }: Template,
  present: string,
  installed: readonly string[],
  { command, force = false }: SetUpOptions,
): Pick<SetUpStep, "change" | "reason"> {
  const keep = (reason: string) => ({ change: "kept" as const, reason })
  if (hashOf(present) === hashOf(text)) return keep("up to date")
  const presentVersion = version === undefined ? undefined : readSkill(present, basename(dirname(path))).version
  if (compareVersions(presentVersion, version) > 0)
    return keep(`version ${presentVersion} is newer than ${version} of this Drey`)
  const isModified = !installed.includes(hashOf(present))
  if (isModified && !force) return keep("changed by you, or not from Drey")
  if (command === "init") return keep('older version; run "drey upgrade" to update it')
  const from = presentVersion === undefined ? "the existing file" : `version ${presentVersion}`
  return { change: "updated", reason: version === undefined ? `replaces ${from}` : `${version} replaces ${from}` }
}

function countLegacy(store: Store, now: Date): SetUpPlan["legacy"] {
  const records = planConversion(store, {}, now).files.flatMap((file) => file.records)
  return {
    convertible: records.filter(({ level }) => level === "auto").length,
    review: records.filter(({ level }) => level === "review").length,
  }
}

function gitStep({ path, change, problem }: InstalledFile): SetUpStep {
  return { path, change, reason: problem ?? (change === "kept" ? "up to date" : "registered Drey's merge driver") }
}

function hookStep({ path, change, reason }: HookPlan): SetUpStep {
  return { path, change, reason }
}
