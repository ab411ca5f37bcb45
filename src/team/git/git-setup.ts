import { existsSync } from "node:fs"
import { join, relative } from "node:path"
import { removeFileDurable, writeFileAtomic } from "../../disk/atomic-write.ts"
import { findRepository } from "../../disk/git.ts"
import { safePath } from "../../disk/safe-paths.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { generated } from "../../governance/cleared.ts"
import { findTeamFolders } from "../team-folder.ts"
import { gitPath, gitSetting, ownGitSetting, runningDrey, setGitSetting, topOf } from "./repository.ts"

/** `problem` is why a file could not be changed. */
export type InstalledFile = { path: string; change: "created" | "updated" | "kept"; problem?: string }

/**
 * Registers Drey's merge driver. The shared `.gitattributes` uses `merge=union`, which works in clones without Drey; `merge=drey` and
 * its command are in this clone's git folder, which worktrees share. Idempotent: other lines stay byte for byte, and lines that
 * Drey 0.1.0 added to `.gitattributes` are replaced. Does nothing outside git. A read-only git folder is reported, not thrown,
 * because everything works without the driver.
 */
export function installMergeDriver(root: string, { dryRun = false } = {}): InstalledFile[] {
  const files = attributeFiles(root)
  if (!files) return []
  const { config, shared, own } = files
  const write = (file: AttributeFile) => tryTo(file.shown, () => editAttributes(file, file.wanted, dryRun))
  const command = tryTo(relative(root, config) || config, () => installCommand(root, dryRun))
  // With `merge=drey` but no driver command, git would ignore the attribute.
  return [write(shared), command, ...(command.problem === undefined ? [write(own)] : [])]
}

/** Removes everything that `installMergeDriver` wrote; a `.gitattributes` that becomes empty is deleted. */
export function removeMergeDriver(root: string): InstalledFile[] {
  const files = attributeFiles(root)
  if (!files) return []
  const { config, shared, own } = files
  const lines = [own, shared].map((file) => tryTo(file.shown, () => editAttributes(file, [], false)))
  const isUsed = existsSync(own.path) && /\smerge=drey\b/.test(readTextFile(own.path).text) // by another team folder of this repository
  if (isUsed) return lines
  const remove = () => {
    for (const key of Object.keys(commandSettings())) setGitSetting(root, key, undefined)
    return "updated" as const
  }
  return [...lines, tryTo(relative(root, config) || config, remove)]
}

const mergedByLines = ["decisions*.md", "decisions/archive/**/*.md", "agents/**/history*.md", "memory/audit*.jsonl"]
/** A line union would not be valid JSON. These files are only tracked if the user committed them. */
const mergedByDreyOnly = ["memory/index.json"]

type AttributeFile = { path: string; shown: string; wanted: string[]; isOurs: (line: string) => boolean }

function attributeFiles(root: string): { config: string; shared: AttributeFile; own: AttributeFile } | undefined {
  const config = gitPath(root, "config")
  const attributes = gitPath(root, "info/attributes")
  if (config === undefined || attributes === undefined) return undefined
  const found = findTeamFolders(root).folders.map(({ name }) => name)
  const folders = found.length > 0 ? found : [".squad"]
  const linesFor = (names: string[], value: string, prefix = "") =>
    folders.flatMap((folder) => names.map((name) => `${pattern(prefix, `${folder}/${name}`)} merge=${value}`))
  const union = linesFor(mergedByLines, "union")
  const all = [...mergedByLines, ...mergedByDreyOnly]
  const older = linesFor(all, "drey") // of Drey 0.1.0
  const drey = linesFor(all, "drey", findRepository(root)?.prefix)
  return {
    config,
    shared: {
      path: safePath(root, ".gitattributes"),
      shown: ".gitattributes",
      wanted: union,
      isOurs: (line) => union.includes(line) || older.includes(line),
    },
    own: {
      path: attributes,
      shown: relative(root, attributes),
      wanted: drey,
      isOurs: (line) => drey.includes(line),
    },
  }
}

/** A path pattern from the repository root: wildcard characters are escaped, and paths with spaces quoted as git does. */
function pattern(prefix: string, below: string): string {
  const path = prefix.replace(/[*?[\]\\]/g, "\\$&") + below
  return /[\s"]/.test(path) ? `"${path.replace(/["\\]/g, "\\$&")}"` : path
}

/** Updates Drey's lines at the end of an attributes file; all other lines are unchanged. */
function editAttributes(file: AttributeFile, wanted: string[], dryRun: boolean): InstalledFile["change"] {
  if (!existsSync(file.path)) {
    const text = wanted.map((line) => `${line}\n`).join("")
    if (text === "") return "kept"
    if (!dryRun) writeFileAtomic(file.path, generated(text), { replaces: null })
    return "created"
  }
  const { text, sha256: replaces } = readTextFile(file.path)
  const lines = text.split(/(?<=\n)/)
  const present = lines.map((line) => line.trim()).filter(file.isOurs)
  if (present.length === wanted.length && present.every((line, index) => line === wanted[index])) return "kept"
  const others = lines.filter((line) => !file.isOurs(line.trim())).join("")
  const lineEnd = dominantLineEnd(text)
  const gap = others === "" || others.endsWith("\n") || wanted.length === 0 ? "" : lineEnd
  const edited = others + gap + wanted.map((line) => line + lineEnd).join("")
  if (!dryRun && edited === "") removeFileDurable(file.path)
  else if (!dryRun) writeFileAtomic(file.path, generated(edited), { replaces })
  return "updated"
}

function commandSettings(): Record<string, string> {
  return { "merge.drey.name": "Drey merges entries by id", "merge.drey.driver": driverCommand() }
}

function installCommand(root: string, dryRun: boolean): InstalledFile["change"] {
  const settings = Object.entries(commandSettings())
  const known = settings.map(([key]) => ownGitSetting(root, key))
  if (settings.every(([, value], index) => known[index] === value)) return "kept"
  if (!dryRun) for (const [key, value] of settings) setGitSetting(root, key, value)
  return "updated" // git's own file, which was there
}

function tryTo(path: string, act: () => InstalledFile["change"]): InstalledFile {
  try {
    return { path, change: act() }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { path, change: "kept", problem: error.message }
  }
}

/**
 * Calls the running Drey by its absolute path, because git's shell may not have it on its PATH. A temporary copy (npx) is called by name
 * instead. If Drey is missing, git merges as in `.gitattributes`; if Drey rejects a file, git writes its usual conflict markers.
 */
function driverCommand(): string {
  const drey = runningDrey()?.map(quote)
  const isThere = drey ? `test -f ${drey[1]}` : "command -v drey >/dev/null"
  const call = `${drey?.join(" ") ?? "drey"} merge-driver %O %A %B %P`
  const alone = "case %P in *.json) git merge-file %A %O %B;; *) git merge-file --union %A %O %B;; esac"
  return `if ${isThere}; then ${call} || git merge-file %A %O %B; else ${alone}; fi`
}

function quote(path: string): string {
  return `'${path.replaceAll("%", "%%").replaceAll("'", "'\\''")}'`
}

export type HookPlan = InstalledFile & { reason: string; text: string; at: string }

const mark = '# Written by "drey init --hook"; delete this file to be rid of it.'

/** Plans the pre-commit hook; undefined outside git. A hook that Drey did not write is left unchanged. */
export function planCommitHook(root: string): HookPlan | undefined {
  const top = topOf(root)
  const folder = gitPath(root, "hooks")
  if (top === undefined || folder === undefined) return undefined
  const text = hookText(relative(top, root))
  const at = join(folder, "pre-commit")
  const path = relative(root, at)
  const keep = (reason: string): HookPlan => ({ path, change: "kept", reason, text, at })
  if (gitSetting(root, "core.hooksPath") !== undefined)
    return keep('git uses another hooks folder (core.hooksPath); add "drey validate --staged" there')
  if (!existsSync(at)) return { path, change: "created", reason: "checks entries before a commit", text, at }
  const present = readTextFile(at).text
  if (present === text) return keep("up to date")
  if (!present.includes(mark)) return keep('another hook exists; add "drey validate --staged" to it')
  return { path, change: "updated", reason: "checks entries before a commit", text, at }
}

export function installCommitHook({ change, text, at }: HookPlan): void {
  if (change !== "kept") writeFileAtomic(at, generated(text), { mode: 0o755 })
}

/** git runs the hook at the top of the working tree. A missing Drey never blocks a commit. */
function hookText(below: string): string {
  const validate = `validate --staged${below === "" ? "" : ` --root ${quoteHook(below)}`}`
  const own = runningDrey()
  const [node = "", script = ""] = own?.map(quoteHook) ?? []
  const otherwise = own ? `if [ -x ${node} ] && [ -f ${script} ]; then exec ${node} ${script} ${validate}; fi\n` : ""
  return `#!/bin/sh
# Checks what is staged of the team's memory before each commit.
${mark}
git diff --cached --name-only | grep -Eq '(^|/)\\.(squad|ai-team)/' || exit 0
if command -v drey >/dev/null 2>&1; then exec drey ${validate}; fi
${otherwise}echo "drey was not found; the team's memory was not checked" >&2
`
}

function quoteHook(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
