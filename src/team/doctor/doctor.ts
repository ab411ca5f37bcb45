import { type Config, readConfig } from "../../config.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { type Check, type CheckResult, fail, info, pass, warn } from "../../formats/check.ts"
import { nameSome, quantity } from "../../formats/text.ts"
import { verifyAudit } from "../../governance/audit-verification.ts"
import { findInPath, findSensitive } from "../../governance/redaction.ts"
import { ignoredPaths, isInGit } from "../git/repository.ts"
import { auditPlaceOf, readMemoryConfig } from "../governed/governed-context.ts"
import { readStore } from "../team-entries.ts"
import { listTeamFiles, type TeamFile } from "../team-files.ts"
import type { TeamStore } from "../team-folder.ts"
import type { Examined, NamedCheck } from "./doctor-check.ts"
import { contentChecks, entryChecks, sizeChecks } from "./entry-checks.ts"
import { folderChecks, gitChecks, memoryChecks } from "./folder-checks.ts"

/** Checks that the audit log was not changed after it was written. */
const auditCheck: NamedCheck = { name: "audit chain", examine: examineAudit }

function examineAudit({ store }: Examined): CheckResult {
  const folder = store.folders[0]
  if (!folder) return pass("There is no audit yet.")
  const { problems, lines, warnings, foreign } = verifyAudit(auditPlaceOf(folder, readMemoryConfig(folder).config))
  if (problems.length > 0) {
    const places = problems.map(({ path, line, kind }) => `${folder.name}/${path}:${line} (${kind})`)
    return fail(
      `The audit was tampered with or damaged in ${quantity(places.length, "place")}: ${nameSome(places)}. Compare it with git's history.`,
    )
  }
  if (warnings.length > 0) return warn(warnings.join(" "))
  if (lines === 0) return pass("There is no audit yet.")
  const others =
    foreign.length === 0 ? "" : `; another tool wrote ${quantity(foreign.length, "line")}, which cannot be verified`
  return pass(`The audit log is intact (${quantity(lines, "line")})${others}.`)
}

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
export async function runDoctor(store: TeamStore, environment: NodeJS.ProcessEnv, now: Date): Promise<Check[]> {
  if (store.folders.length === 0) {
    const message = `${store.root} has no .squad folder. Run "drey init" to create one.`
    return [{ name: "team folder", status: "fail", message }]
  }
  const examined = examineStore(store, environment, now)
  const found: Check[] = []
  for (const { name, examine } of checks) found.push({ name, ...(await examine(examined)) })
  return found
}

function examineStore(store: TeamStore, environment: NodeJS.ProcessEnv, now: Date): Examined {
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

export function readConfigOrNothing(store: TeamStore, environment: NodeJS.ProcessEnv): Config | undefined {
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

/** Whether this repository's rules apply on this machine. An untrusted repository is not a failure. */
export function checkTrust(trust: { kind: "trusted" } | { kind: "untrusted" | "refused"; reason: string }): Check {
  if (trust.kind === "trusted")
    return { name: "trust", ...pass("The rules of this repository apply to coding agents here.") }
  return {
    name: "trust",
    ...info(
      `This repository's rules do not apply to coding agents here: ${trust.reason}. Run "drey trust" to allow them.`,
    ),
  }
}
