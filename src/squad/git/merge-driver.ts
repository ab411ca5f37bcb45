import { existsSync } from "node:fs"
import { relative } from "node:path"
import { readTextFile } from "../../disk/read-text-file.ts"
import { safePath } from "../../disk/safe-paths.ts"
import { writeFileAtomic } from "../../disk/write-file-atomic.ts"
import { dominantLineEnd } from "../../formats/source-text.ts"
import { generated } from "../../governance/cleared.ts"
import { findTeamFolders } from "../find-store.ts"
import { gitPath, ownGitSetting, setGitSetting } from "./git-questions.ts"
import { runningDrey } from "./running-drey.ts"

export type InstalledFile = { path: string; change: "created" | "updated" | "kept" }

/**
 * Tells git to merge the files of the team folder with Drey: lines in `.gitattributes`, which the team shares, and the
 * command in the clone's own config. Safe to run again; other lines stay as they are. Outside git there is nothing to do.
 */
export function installMergeDriver(root: string): InstalledFile[] {
  const config = gitPath(root, "config")
  if (config === undefined) return []
  return [installAttributes(root), installCommand(root, config)]
}

/** What git is told about the files of a team folder; the last line that fits a path counts. */
export function attributeLines(folder: string): string[] {
  const names = [
    "decisions*.md",
    "decisions/archive/**/*.md",
    "agents/**/history*.md",
    "memory/index.json",
    "memory/audit*.jsonl",
  ]
  return names.map((name) => `${folder}/${name} merge=drey`)
}

function installAttributes(root: string): InstalledFile {
  const path = safePath(root, ".gitattributes")
  const folders = findTeamFolders(root).folders.map(({ name }) => name)
  const wanted = (folders.length > 0 ? folders : [".squad"]).flatMap(attributeLines)
  if (!existsSync(path)) {
    writeFileAtomic(path, generated(wanted.map((line) => `${line}\n`).join("")), { replaces: null })
    return { path: ".gitattributes", change: "created" }
  }
  const { text, sha256: replaces } = readTextFile(path)
  const lines = text.split(/(?<=\n)/)
  const isWanted = (line: string) => wanted.includes(line.trim())
  const present = new Set(lines.filter(isWanted).map((line) => line.trim()))
  // Squad writes `merge=union` for some of the same files; where it stands below our lines it would win.
  const overruled = lines.findLastIndex((line) => isOtherRule(line, wanted)) > lines.findIndex(isWanted)
  if (present.size === wanted.length && !overruled) return { path: ".gitattributes", change: "kept" }
  const lineEnd = dominantLineEnd(text)
  const others = lines.filter((line) => !isWanted(line)).join("")
  const gap = others === "" || others.endsWith("\n") ? "" : lineEnd
  writeFileAtomic(path, generated(others + gap + wanted.map((line) => line + lineEnd).join("")), { replaces })
  return { path: ".gitattributes", change: "updated" }
}

function isOtherRule(line: string, wanted: string[]): boolean {
  const rule = line.trim()
  return !rule.startsWith("#") && /\s-?!?merge\b/.test(rule) && !wanted.includes(rule)
}

function installCommand(root: string, config: string): InstalledFile {
  const settings = { "merge.drey.name": "Drey unites entries by id", "merge.drey.driver": driverCommand() }
  const path = relative(root, config) || config
  const known = Object.keys(settings).map((key) => ownGitSetting(root, key))
  if (Object.values(settings).every((value, index) => known[index] === value)) return { path, change: "kept" }
  for (const [key, value] of Object.entries(settings)) setGitSetting(root, key, value)
  return { path, change: known.every((value) => value === undefined) ? "created" : "updated" }
}

/**
 * The Drey that runs now, wherever it is installed: git's shell need not have it on its path. One that will not stay is called by its name,
 * for when it is installed. Where it is gone, or could not do its work, git merges the lines itself and leaves its usual marks.
 */
function driverCommand(): string {
  const drey = runningDrey()?.map(quote).join(" ") ?? "drey"
  return `${drey} merge-driver %O %A %B %P || git merge-file %A %O %B`
}

function quote(path: string): string {
  return `'${path.replaceAll("%", "%%").replaceAll("'", "'\\''")}'`
}
