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

/** `init` adds what is missing; `upgrade` also replaces what an older Drey installed and nobody has changed. */
export type SetUpOptions = {
  command: "init" | "upgrade"
  /** Replaces files that people have changed, too. */
  force?: boolean
  /** Also has git check entries before each commit. */
  hook?: boolean
}

/** What becomes of one file, by its path in the repository, and why. */
export type SetUpStep = { path: string; change: "created" | "updated" | "kept"; reason: string }

export type SetUpPlan = {
  command: SetUpOptions["command"]
  root: string
  folder: StoreFolder
  steps: SetUpStep[]
  changes: FileChange[]
  /** What becomes of git's settings; undefined outside git, where there is nothing to merge. */
  git: SetUpStep[] | undefined
  /** Git's hook before a commit, where it was asked for. */
  hook: HookPlan | undefined
  /** What Drey will have installed here. */
  installed: InstalledFiles
  /** Legacy entries that `convert-memory` would convert by itself, and those it would ask about. */
  legacy: { convertible: number; review: number }
}

export type SetUpResult = { steps: SetUpStep[]; change: RecordedChange | undefined }

/** Plans a team folder with everything Drey expects of one. Writes nothing; a second plan after the first was applied is empty. */
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
  // Somebody who committed the index wants it there; other tools may read it.
  if (!isTracked(folder.path, "memory/index.json")) add(plan, indexIgnore.path, indexIgnore.text)
  for (const template of readTemplates()) {
    planTemplate(plan, template, options)
    const present = plan.changes.find(({ path }) => path === template.path)?.after ?? currentText(folder, template.path)
    // Only a file that is exactly ours is remembered: of any other it must stay known that a person changed it.
    if (present !== null && hashOf(present) === hashOf(template.text)) noteInstalled(plan.installed, template)
  }
  return plan
}

/** Carries out the plan as one change that `undo` takes back, then wires git. */
export async function applySetUp(plan: SetUpPlan, now: Date): Promise<SetUpResult> {
  const { folder, command, changes } = plan
  const change = await withStore(folder, () => {
    const applied = applyChange(folder, command, changes, now)
    writeInstalled(folder, plan.installed) // what a killed process did not note, the next call finds to be Drey's by its text
    return applied
  })
  if (!plan.git) return { steps: plan.steps, change }
  const wiring = installMergeDriver(plan.root).map(gitStep)
  if (plan.hook) installCommitHook(plan.hook)
  return { steps: [...plan.steps, ...wiring, ...(plan.hook ? [hookStep(plan.hook)] : [])], change }
}

function startersFor(folder: StoreFolder): { path: string; text: string }[] {
  // An empty folder for the agents is enough: each gets its own when it joins.
  const agents = existsSync(join(folder.path, "agents")) ? [] : [{ path: "agents/.gitkeep", text: "" }]
  return [...starterFiles, ...agents]
}

function add(plan: SetUpPlan, path: string, text: string): void {
  const shown = `${plan.folder.name}/${path}`
  if (existsSync(join(plan.folder.path, path))) {
    plan.steps.push({ path: shown, change: "kept", reason: "it is there already" })
    return
  }
  plan.steps.push({ path: shown, change: "created", reason: "it was missing" })
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
    return keep(`version ${presentVersion} is newer than ${version}, which this Drey brings`)
  const isModified = !installed.includes(hashOf(present))
  if (isModified && !force) return keep("it was changed or comes from elsewhere, so it is left as it is")
  if (command === "init") return keep('an older version; "drey upgrade" brings the new one')
  const from = presentVersion === undefined ? "what was there" : `version ${presentVersion}`
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
  return { path, change, reason: problem ?? (change === "kept" ? "up to date" : "git merges entries by their ids") }
}

function hookStep({ path, change, reason }: HookPlan): SetUpStep {
  return { path, change, reason }
}
