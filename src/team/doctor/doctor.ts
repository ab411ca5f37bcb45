import { join } from "node:path"
import { type Config, readConfig } from "../../config.ts"
import { readTextFile } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { type Check, type CheckResult, fail, info, pass, warn } from "../../formats/check.ts"
import { nameSome, quantity } from "../../formats/text.ts"
import { verifyAudit } from "../../governance/audit-verification.ts"
import { ignoredPaths, isInGit } from "../git/repository.ts"
import { auditPlaceOf, readMemoryConfig } from "../governed/governed-context.ts"
import { listEntryFiles, listSkillFiles, listTeamFiles, type TeamFile } from "../team-files.ts"
import type { TeamStore } from "../team-folder.ts"
import type { Examined, NamedCheck } from "./doctor-check.ts"
import { folderChecks, gitChecks, memoryChecks } from "./folder-checks.ts"
import { type FileFindings, type KeptFindings, openKeptFindings } from "./kept-findings.ts"

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

/** In the order in which they are listed; `undefined` has the place of the checks that depend on the team's files alone. */
const checks: (NamedCheck | undefined)[] = [...folderChecks, undefined, ...memoryChecks, auditCheck, ...gitChecks]

export type DoctorOptions = { environment: NodeJS.ProcessEnv; now: Date; kept?: string | undefined }

/** Runs all checks without changing anything in the repository. `kept`: a file in Drey's home with what earlier checks found. */
export async function runDoctor(store: TeamStore, { environment, now, kept }: DoctorOptions): Promise<Check[]> {
  if (store.folders.length === 0) {
    const message = `${store.root} has no .squad folder. Run "drey init" to create one.`
    return [{ name: "team folder", status: "fail", message }]
  }
  const config = readConfigOrNothing(store, environment)
  const examined: Examined = { store, config, git: isInGit(store.root), now }
  const found: Check[] = []
  for (const check of checks) {
    if (check === undefined) found.push(...(await checkFiles(examined, openKeptFindings(kept))))
    else found.push({ name: check.name, ...(await check.examine(examined)) })
  }
  return found
}

/** The checks of what the team's files contain. */
async function checkFiles(examined: Examined, kept: KeptFindings): Promise<Check[]> {
  const { store, config, git, now } = examined
  const present = store.folders.flatMap(listTeamFiles)
  const ignored = git
    ? ignoredPaths(
        store.root,
        present.map(({ shown }) => shown),
      )
    : new Set<string>()
  const found: FileFindings[] = []
  for (const file of present.filter(({ shown }) => !ignored.has(shown)))
    found.push(await kept.ofFile(file.absolute, () => scanFile(file)))
  const scanned = {
    sensitive: found.flatMap(({ sensitive }) => sensitive),
    unreadable: found.flatMap(({ unreadable }) => unreadable ?? []),
  }
  const skills = listSkillFiles(store.root).map(({ path }) => join(store.root, path))
  const entries = [...present, ...store.folders.flatMap(listEntryFiles)].map(({ absolute }) => absolute)
  const files = [...new Set([...entries, ...skills])]
  const also = [[...ignored], config?.limits, now.toISOString().slice(0, "2026-02-18T12:0".length)]
  const checks = await kept.ofAll(files, also, async () => {
    const { checkFileContents } = await import("./file-checks.ts")
    return checkFileContents(examined, scanned)
  })
  kept.save()
  return checks
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

async function scanFile({ shown: path, absolute }: TeamFile): Promise<FileFindings> {
  const { findInPath, findSensitive } = await import("../../governance/redaction.ts")
  const { shown, found } = findInPath(path)
  const sensitive = found.map((each) => ({ ...each, path: shown }))
  if (!/\.(?:md|txt|json|jsonl|ya?ml|toml)$/i.test(shown)) return { sensitive, unreadable: [] } // images and other binary files
  try {
    const { text } = readTextFile(absolute)
    const lines = isTemplate.test(path) ? text.split("\n") : []
    const inText = findSensitive(text).filter(({ line }) => !isExample.test(lines[line - 1] ?? ""))
    return { sensitive: [...sensitive, ...inText.map((each) => ({ ...each, path: shown }))], unreadable: [] }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { sensitive, unreadable: [{ path: shown, message: error.message }] }
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
