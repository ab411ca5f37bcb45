import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { writePrivateFile } from "../disk/atomic-write.ts"
import { compareVersions, readTemplates, type Template } from "../disk/templates.ts"
import { readSkill } from "../formats/skill.ts"
import { generated } from "../governance/cleared.ts"
import { applyChange, currentText, type FileChange, type RecordedChange, withStore } from "./change.ts"
import { planConversion } from "./conversion/conversion.ts"
import {
  type HookPlan,
  type InstalledFile,
  installCommitHook,
  installMergeDriver,
  planCommitHook,
} from "./git/git-setup.ts"
import { isInGit, isTracked } from "./git/repository.ts"
import { defaultMemoryConfigText } from "./governed/governed-context.ts"
import { indexIgnore } from "./governed/memory-index.ts"
import { stateFolder } from "./journal.ts"
import { folderOf, type StoreFolder, type TeamStore } from "./team-folder.ts"

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
export function planSetUp(store: TeamStore, options: SetUpOptions, now: Date): SetUpPlan {
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
  for (const path of renamedSkills) removeInstalled(plan, path)
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

/** Earlier names of the skills. A copy that the user has edited stays. */
const renamedSkills = ["skills/squad-conventions/SKILL.md", "skills/squad-memory-format/SKILL.md"]

function removeInstalled(plan: SetUpPlan, path: string): void {
  const present = currentText(plan.folder, path)
  if (present === null || !plan.installed[path]?.includes(hashOf(present))) return
  const shown = `${plan.folder.name}/${path}`
  plan.steps.push({ path: shown, change: "updated", reason: "removed: the skill has a new name" })
  plan.changes.push({ path, before: present, after: null })
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

function countLegacy(store: TeamStore, now: Date): SetUpPlan["legacy"] {
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

/** The initial files of a team folder. Existing files are never changed. */
export const starterFiles: { path: string; text: string }[] = [
  {
    path: "decisions.md",
    text: `# Team decisions

## Active Decisions

No decisions recorded yet.

## Governance

- New decisions go to \`decisions/inbox/\`, one file each; the merge brings them here.
- A changed decision is a new entry that supersedes the old one.
- Secrets and personal data are never written down.
`,
  },
  { path: "decisions/inbox/.gitkeep", text: "" }, // git does not track empty folders
  { path: "memory/config.json", text: defaultMemoryConfigText },
]

/** Hashes of each file as Drey installed it, by path: a file with one of them was not edited by the user, even after `undo`. */
type InstalledFiles = Record<string, string[]>

/** The files that Drey installed in this clone; empty if the record is missing or damaged. */
function readInstalled(folder: StoreFolder): InstalledFiles {
  const path = installedPath(folder)
  if (!existsSync(path)) return {}
  try {
    const record: unknown = JSON.parse(readFileSync(path, "utf8"))
    const files = record !== null && typeof record === "object" && "files" in record ? record.files : undefined
    if (files === null || typeof files !== "object") return {}
    return Object.fromEntries(Object.entries(files).filter(([, hashes]) => Array.isArray(hashes)))
  } catch {
    return {} // without the record, files count as edited by the user and are kept
  }
}

/** Call it under the team folder's lock. */
function writeInstalled(folder: StoreFolder, files: InstalledFiles): void {
  const sorted = Object.fromEntries(Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1)))
  writePrivateFile(installedPath(folder), `${JSON.stringify({ version: 1, files: sorted }, null, 2)}\n`)
}

function noteInstalled(files: InstalledFiles, { path, text }: { path: string; text: string }): void {
  files[path] = [...new Set([...(files[path] ?? []), hashOf(text)])]
}

/** Ignores line ends, which git may change on checkout. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex")
}

function installedPath(folder: StoreFolder): string {
  return join(stateFolder(folder), "installed.json")
}
