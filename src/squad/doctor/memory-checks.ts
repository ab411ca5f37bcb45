import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isRecord } from "../../disk/parse-json.ts"
import { readFrontMatter } from "../../formats/front-matter.ts"
import { listTeamFiles } from "../list-team-files.ts"
import { type IndexRecord, isOutdated, readIndexFile } from "../memory/memory-index.ts"
import { type Examined, fail, type NamedCheck, nameSome, pass, quantity, type Verdict, warn } from "./check.ts"

/** Check that the settings, index and files of governed memory are consistent. */
export const memoryChecks: NamedCheck[] = [
  { name: "settings", examine: examineSettings },
  { name: "memory policy", examine: examinePolicy },
  { name: "memory index", examine: examineIndex },
  { name: "index against files", examine: examineIndexAgainstFiles },
]

function examineSettings({ store, config }: Examined): Verdict {
  const shown = `${store.folders[0]?.name}/config.json`
  const settings = readJson(store.folders[0]?.path, "config.json")
  if (settings.kind === "broken") return fail(`${shown} ${settings.problem}. Fix it by hand; no command rewrites it.`)
  if (!config) return fail("Your own config.json in ~/.drey or DREY_HOME is not a JSON object. Fix it by hand.")
  if (settings.kind === "missing") return pass("This repository has no settings; your own apply.")
  return pass(`${shown} can be read.`)
}

function examinePolicy({ store }: Examined): Verdict {
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

function examineIndex({ store }: Examined): Verdict {
  const folder = store.folders[0]
  const index = folder ? readIndexFile(folder) : { kind: "absent" as const }
  if (index.kind === "absent") return pass("No index; the next write creates it from the entries.")
  if (index.kind === "read") return pass(`The index can be read; it has ${quantity(index.records.length, "record")}.`)
  return fail(
    `${folder?.name}/memory/index.json cannot be read. Run "drey memory reindex" to rebuild it from the entries.`,
  )
}

function examineIndexAgainstFiles({ store, reading }: Examined): Verdict {
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
