import { existsSync, readFileSync } from "node:fs"
import { join, sep } from "node:path"
import { namesIn, readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { readFrontMatter } from "../../formats/blocks.ts"
import { type CheckResult, fail, info, pass, warn } from "../../formats/check.ts"
import type { DiagnosticCode } from "../../formats/diagnostics.ts"
import { isRecord } from "../../formats/objects.ts"
import { readSkill } from "../../formats/skill.ts"
import { nameSome, quantity } from "../../formats/text.ts"
import { gitSetting, ignoredPaths, mergeAttributes } from "../git/repository.ts"
import { type IndexRecord, isOutdated, readIndexFile } from "../governed/memory-index.ts"
import { listTeamFiles, skillFolders } from "../team-files.ts"
import type { Examined, NamedCheck } from "./doctor-check.ts"

/** Check that the files exist and can be read. */
export const folderChecks: NamedCheck[] = [
  { name: "team folder", examine: examineFolder },
  { name: "decisions file", examine: examineDecisionsFile },
  { name: "readable files", examine: examineReadable },
  { name: "merge conflicts", examine: examineConflicts },
  { name: "skills", examine: examineSkills },
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

function examineReadable({ store, reading, unreadable }: Examined): CheckResult {
  const messages = new Map(
    [...reading.unreadable, ...unreadable].map(({ path, message }) => [
      path,
      message.replace(`${store.root}${sep}`, ""),
    ]),
  )
  if (messages.size === 0) return pass("All files can be read.")
  const found = `${quantity(messages.size, "file")} cannot be read, so agents never get their contents`
  return fail(`${found}: ${nameSome([...messages.values()])}. Save them as UTF-8 text, or move them elsewhere.`)
}

const conflictCodes = new Set<DiagnosticCode | string>(["conflict-marker", "merge-conflict-kept"])

function examineConflicts({ reading }: Examined): CheckResult {
  const places = reading.diagnostics
    .filter(({ diagnostic }) => conflictCodes.has(diagnostic.code))
    .map(({ path, diagnostic }) => `${path}:${diagnostic.line}`)
  if (places.length === 0) return pass("No unresolved merge conflicts.")
  return fail(`${quantity(places.length, "merge conflict")} unresolved: ${nameSome(places)}. Resolve by hand.`)
}

function examineSkills({ store }: Examined): CheckResult {
  const seen = new Map<string, string>()
  const shadowed: string[] = []
  const broken: string[] = []
  for (const folder of skillFolders) {
    const hasSkill = (name: string) => existsSync(join(store.root, folder, name, "SKILL.md"))
    for (const name of namesIn(join(store.root, folder)).filter(hasSkill)) {
      const path = `${folder}/${name}/SKILL.md`
      if (seen.has(name)) shadowed.push(`${path} (by ${seen.get(name)})`)
      else seen.set(name, path)
      const problem = problemOf(join(store.root, path), name)
      if (problem) broken.push(`${path}: ${problem}`)
    }
  }
  if (broken.length > 0) return warn(`${quantity(broken.length, "skill")} to fix: ${nameSome(broken)}`)
  if (shadowed.length > 0) return info(`Skills hidden by another skill of the same name: ${nameSome(shadowed)}.`)
  return pass(seen.size === 0 ? "No skills." : `${quantity(seen.size, "skill")} can be read.`)
}

function problemOf(path: string, name: string): string | undefined {
  try {
    return readSkill(readTextFile(path).text, name).diagnostics.find(({ severity }) => severity === "error")?.message
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return error.message
  }
}

/** Check that the settings, index and files of governed memory are consistent. */
export const memoryChecks: NamedCheck[] = [
  { name: "settings", examine: examineSettings },
  { name: "memory policy", examine: examinePolicy },
  { name: "memory index", examine: examineIndex },
  { name: "index against files", examine: examineIndexAgainstFiles },
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

function examineIndexAgainstFiles({ store, reading }: Examined): CheckResult {
  const folder = store.folders[0]
  const index = folder ? readIndexFile(folder) : { kind: "absent" as const }
  if (folder && (index.kind === "absent" || isOutdated(folder)))
    return pass("The index is older than the files; the next write rebuilds it.")
  if (!folder || index.kind === "corrupt")
    return warn('The index cannot be read, so it was not compared with the files. Run "drey memory reindex" first.')
  const records = index.kind === "read" ? index.records : []
  const entryIds = new Set(reading.entries.map(({ id }) => id))
  const missing = records.filter((record) => !isThere(folder.path, record, entryIds)).map(({ id }) => id)
  const indexed = new Set(records.map(({ id }) => id))
  const orphaned = listTeamFiles(folder)
    .filter(({ path }) => /^(?:memory\/(?:local|policy-inbox)|decisions\/inbox)\/[^/]+\.md$/.test(path))
    .filter(({ absolute }) => isGovernedAndNotIn(indexed, absolute))
    .map(({ shown }) => shown)
  const repair = 'Run "drey memory reindex".'
  if (missing.length > 0)
    return fail(`${quantity(missing.length, "index record")} without an entry: ${nameSome(missing)}. ${repair}`)
  if (orphaned.length > 0)
    return warn(`${quantity(orphaned.length, "file")} without an index record: ${nameSome(orphaned)}. ${repair}`)
  return pass("Index and files agree.")
}

/** A record refers to its own file or to an entry of a larger one; memories of providers are not on disk. */
function isThere(folder: string, record: IndexRecord, entryIds: ReadonlySet<string>): boolean {
  if (record.status === "deleted" || record.class === "COPILOT_MEMORY") return true
  if (!existsSync(join(folder, record.path.replace(/^\.(?:squad|ai-team)\//, "")))) return false
  return record.anchor === undefined || entryIds.has(record.anchor)
}

function isGovernedAndNotIn(ids: ReadonlySet<string>, path: string): boolean {
  const { frontMatter } = readFrontMatter(readFileSync(path, "utf8").split("\n", 60))
  return frontMatter.id !== undefined && frontMatter.class !== undefined && !ids.has(frontMatter.id)
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

function examineArchiveTargets({ store, reading, git }: Examined): CheckResult {
  if (!git) return pass("Not a git repository, so no archive is ignored.")
  const folder = store.folders[0]?.name ?? ".squad"
  const agents = reading.files.filter(({ source, folder: { name } }) => source === "history" && name === folder)
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
