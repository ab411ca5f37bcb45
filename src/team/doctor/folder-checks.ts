import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type CheckResult, fail, info, pass, warn } from "../../formats/check.ts"
import { isRecord } from "../../formats/objects.ts"
import { nameSome, quantity } from "../../formats/text.ts"
import { gitSetting, ignoredPaths, mergeAttributes } from "../git/repository.ts"
import { readIndexFile } from "../governed/memory-index.ts"
import { listEntryFiles } from "../team-files.ts"
import type { Examined, NamedCheck } from "./doctor-check.ts"

/** Check that the files exist and can be read. */
export const folderChecks: NamedCheck[] = [
  { name: "team folder", examine: examineFolder },
  { name: "decisions file", examine: examineDecisionsFile },
]

function examineFolder({ store }: Examined): CheckResult {
  const names = store.folders.map(({ name }) => name)
  if (names.length > 1)
    return warn(
      "Both .squad and the older .ai-team exist; Drey reads both and writes to .squad only. Move what you need and delete .ai-team.",
    )
  const old = store.folders.filter(({ path }) => existsSync(join(path, ".drey", "changes")))
  if (old.length > 0)
    return info(
      `${old[0]?.name}/.drey/changes was written by an earlier version of Drey and is no longer used. Delete it.`,
    )
  return pass(`The team's memory is in ${names[0]}.`)
}

function examineDecisionsFile({ store }: Examined): CheckResult {
  const folder = store.folders[0]
  if (folder && existsSync(join(folder.path, "decisions.md"))) return pass(`${folder.name}/decisions.md exists.`)
  return fail(`${folder?.name}/decisions.md is missing. Run "drey init" to create it.`)
}

/** Check that the settings, index and files of governed memory are consistent. */
export const memoryChecks: NamedCheck[] = [
  { name: "settings", examine: examineSettings },
  { name: "memory policy", examine: examinePolicy },
  { name: "memory index", examine: examineIndex },
]

function examineSettings({ store, config }: Examined): CheckResult {
  const shown = `${store.folders[0]?.name}/config.json`
  const settings = readJson(store.folders[0]?.path, "config.json")
  if (settings.kind === "broken") return fail(`${shown} ${settings.problem}. Fix it by hand; no command rewrites it.`)
  if (!config) return fail("Your own config.json in ~/.drey or DREY_HOME is not a JSON object. Fix it by hand.")
  if (settings.kind === "missing") return pass("This repository has no settings; your own apply.")
  return pass(`${shown} can be read.`)
}

function examinePolicy({ store }: Examined): CheckResult {
  const shown = `${store.folders[0]?.name}/memory/config.json`
  const config = readJson(store.folders[0]?.path, "memory/config.json")
  if (config.kind === "missing")
    return warn(`${shown} is missing; the built-in policy applies. Run "drey init" to create it.`)
  if (config.kind !== "object")
    return fail(`${shown} ${config.problem}. The built-in policy applies until you fix the file.`)
  const policy = config.value.policy
  if (isRecord(policy) && policy.rejectForbidden === false)
    return warn(`${shown} says "rejectForbidden": false. Drey still rejects secrets, but other tools may not.`)
  return pass(`${shown} can be read.`)
}

function examineIndex({ store }: Examined): CheckResult {
  const folder = store.folders[0]
  const index = folder ? readIndexFile(folder) : { kind: "absent" as const }
  if (index.kind === "absent") return pass("No index; the next write creates it from the entries.")
  if (index.kind === "read") return pass(`The index can be read; it has ${quantity(index.records.length, "record")}.`)
  return fail(
    `${folder?.name}/memory/index.json cannot be read. Run "drey memory reindex" to rebuild it from the entries.`,
  )
}

type JsonFile =
  | { kind: "missing" }
  | { kind: "broken"; problem: string }
  | { kind: "object"; value: Record<string, unknown> }

function readJson(folder: string | undefined, path: string): JsonFile {
  const absolute = join(folder ?? "", path)
  if (!existsSync(absolute)) return { kind: "missing" }
  try {
    const value: unknown = JSON.parse(readFileSync(absolute, "utf8").replace(/^\uFEFF/, ""))
    return isRecord(value) ? { kind: "object", value } : { kind: "broken", problem: "is not a JSON object" }
  } catch {
    return { kind: "broken", problem: "is not valid JSON" } // the parser's message would quote the content
  }
}

/** Check that git commits and merges the files that Drey writes. */
export const gitChecks: NamedCheck[] = [
  { name: "merge driver", examine: examineMergeDriver },
  { name: "archive targets", examine: examineArchiveTargets },
]

function examineMergeDriver({ store, git }: Examined): CheckResult {
  if (!git)
    return warn('Not a git repository, so the team\'s memory has no history. Run "git init", then "drey init" again.')
  const folder = store.folders[0]?.name
  const wanted = ["decisions.md", "decisions-archive.md", "agents/any/history.md", "memory/audit.jsonl"]
  const attributes = mergeAttributes(
    store.root,
    wanted.map((path) => `${folder}/${path}`),
  )
  const without = [...attributes].filter(([, value]) => value !== "drey").map(([path]) => path)
  if (without.length > 0)
    return warn(`git merges these files line by line, not by entry: ${nameSome(without)}. Run "drey init" once here.`)
  if (!gitSetting(store.root, "merge.drey.driver"))
    return warn('Drey\'s merge driver is not registered in this clone. Run "drey init" once here.')
  return pass("git merges decisions, histories, archives and audit entry by entry.")
}

function examineArchiveTargets({ store, git }: Examined): CheckResult {
  const own = store.folders[0]
  if (!git || !own) return pass("Not a git repository, so no archive is ignored.")
  const folder = own.name
  const agents = listEntryFiles(own).filter(({ source }) => source === "history")
  const archives = [
    `${folder}/decisions-archive.md`,
    `${folder}/decisions/archive/2026-Q1.md`,
    ...agents.map(({ path }) => path.replace(/history\.md$/, "history-archive.md")),
  ]
  const ignored = ignoredPaths(store.root, [`${folder}/decisions.md`, ...archives])
  if (ignored.has(`${folder}/decisions.md`))
    return warn(
      `git ignores ${folder}/decisions.md, so the team's memory stays on this machine. Remove the rule from .gitignore.`,
    )
  const lost = archives.filter((path) => ignored.has(path))
  if (lost.length === 0) return pass("git does not ignore the archives.")
  return fail(`git ignores ${nameSome(lost)}, so archived entries would be lost. Remove the rule from .gitignore.`)
}
