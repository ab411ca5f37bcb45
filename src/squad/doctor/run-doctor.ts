import { type Config, readConfig } from "../../config.ts"
import { readTextFile } from "../../disk/read-text-file.ts"
import { DreyError } from "../../errors.ts"
import { findInPath, findSensitive } from "../../governance/find-sensitive.ts"
import type { Store } from "../find-store.ts"
import { ignoredPaths, isInGit } from "../git/git-questions.ts"
import { listTeamFiles, type TeamFile } from "../list-team-files.ts"
import { readStore } from "../read-store.ts"
import { auditCheck } from "./audit-check.ts"
import type { Check, Examined, NamedCheck } from "./check.ts"
import { contentChecks } from "./content-checks.ts"
import { entryChecks } from "./entry-checks.ts"
import { folderChecks } from "./folder-checks.ts"
import { gitChecks } from "./git-checks.ts"
import { memoryChecks } from "./memory-checks.ts"
import { sizeChecks } from "./size-checks.ts"

const checks: NamedCheck[] = [
  ...folderChecks,
  ...entryChecks,
  ...memoryChecks,
  auditCheck,
  ...sizeChecks,
  ...contentChecks,
  ...gitChecks,
]

/** Runs all checks without changing anything. */
export async function runDoctor(store: Store, environment: NodeJS.ProcessEnv, now: Date): Promise<Check[]> {
  if (store.folders.length === 0) {
    const message = `${store.root} has no .squad folder. Run "drey init" to create one.`
    return [{ name: "team folder", status: "fail", message }]
  }
  const examined = examineStore(store, environment, now)
  const found: Check[] = []
  for (const { name, examine } of checks) found.push({ name, ...(await examine(examined)) })
  return found
}

function examineStore(store: Store, environment: NodeJS.ProcessEnv, now: Date): Examined {
  const git = isInGit(store.root)
  const present = store.folders.flatMap(listTeamFiles)
  const ignored = git
    ? ignoredPaths(
        store.root,
        present.map(({ shown }) => shown),
      )
    : new Set<string>()
  const teamFiles = present.filter(({ shown }) => !ignored.has(shown))
  const examined: Examined = {
    store,
    reading: readStore(store, now),
    unreadable: [],
    sensitive: [],
    config: readConfigOrNothing(store, environment),
    git,
    now,
  }
  for (const file of teamFiles) scanFile(file, examined)
  return examined
}

function readConfigOrNothing(store: Store, environment: NodeJS.ProcessEnv): Config | undefined {
  try {
    return readConfig(store.folders[0]?.path, environment)
  } catch (error) {
    if (error instanceof DreyError) return undefined // reported by the settings check
    throw error
  }
}

const isTemplate = /\/templates\//
/** Matches template lines with an example secret. A value without such a word counts as real. */
const isExample =
  /super[_-]?secret|\bexample\b|example\.(?:com|org|net)|@localhost\b|placeholder|your[_-]|change[_-]?me|dummy|fake|\bsample\b|x{4}|\.\.\.`/i

function scanFile({ shown: path, absolute }: TeamFile, examined: Examined): void {
  const { shown, found } = findInPath(path)
  for (const each of found) examined.sensitive.push({ ...each, path: shown })
  if (!/\.(?:md|txt|json|jsonl|ya?ml|toml)$/i.test(shown)) return // images and other binary files
  try {
    const { text } = readTextFile(absolute)
    const lines = isTemplate.test(path) ? text.split("\n") : []
    for (const each of findSensitive(text)) {
      if (!isExample.test(lines[each.line - 1] ?? "")) examined.sensitive.push({ ...each, path: shown })
    }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    examined.unreadable.push({ path: shown, message: error.message })
  }
}
