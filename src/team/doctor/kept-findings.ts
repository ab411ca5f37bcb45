import { type BigIntStats, readFileSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { sha256 } from "../../disk/hash.ts"
import { makeHomeFolder, writeInHome } from "../../disk/home-files.ts"
import type { Check } from "../../formats/check.ts"
import type { Sensitive } from "../../governance/redaction.ts"

/** What was found in one file: no content, only places and rules. */
export type FileFindings = {
  sensitive: (Sensitive & { path: string })[]
  unreadable: { path: string; message: string }[]
}

/**
 * What earlier checks found, so that files that did not change since then are not examined again. As git does it: a file is unchanged if its
 * size, inode and times are, unless it changed at about the time when they were noted.
 */
export type KeptFindings = {
  ofFile(absolute: string, find: () => Promise<FileFindings>): Promise<FileFindings>
  /** The checks that depend on these files alone, and on `also`. */
  ofAll(absolutes: readonly string[], also: unknown, examine: () => Promise<Check[]>): Promise<Check[]>
  save(): void
}

type Kept = {
  program: string
  files: Record<string, { stamp: string; found: FileFindings }>
  all: { key: string; checks: Check[] }
}

/** `path` is a file in Drey's home, which may be deleted; undefined keeps nothing. */
export function openKeptFindings(path: string | undefined): KeptFindings {
  const program = stampOf(fileURLToPath(import.meta.url)) ?? "" // of another build, whose rules may differ, nothing is used
  const { kept, at } = readKept(path, program)
  const next: Kept = { program, files: {}, all: kept.all }
  let isChanged = false
  return {
    async ofFile(absolute, find) {
      const known = kept.files[absolute]
      const isSame = known !== undefined && known.stamp === stampOf(absolute, at)
      const stamp = stampOf(absolute) ?? "" // before the file is read: a change after that is noticed
      const found = isSame ? known.found : await find()
      next.files[absolute] = { stamp, found }
      isChanged ||= !isSame
      return found
    },
    async ofAll(absolutes, also, examine) {
      const keyAt = (time?: number) => {
        const stamps = absolutes.map((absolute) => [absolute, stampOf(absolute, time)])
        return stamps.some(([, stamp]) => stamp === undefined) ? undefined : sha256(JSON.stringify([stamps, also]))
      }
      if (keyAt(at) === kept.all.key) return kept.all.checks
      const key = keyAt() ?? ""
      const checks = await examine()
      next.all = { key, checks }
      isChanged = true
      return checks
    },
    save() {
      if (path === undefined || !isChanged) return
      try {
        makeHomeFolder(dirname(path))
        writeInHome(path, JSON.stringify(next))
      } catch {
        // The next check takes longer.
      }
    },
  }
}

function readKept(path: string | undefined, program: string): { kept: Kept; at: number } {
  const nothing: Kept = { program, files: {}, all: { key: "", checks: [] } }
  if (path === undefined) return { kept: nothing, at: 0 }
  try {
    const kept = JSON.parse(readFileSync(path, "utf8")) as Kept
    return kept.program === program ? { kept, at: statSync(path).mtimeMs } : { kept: nothing, at: 0 }
  } catch {
    return { kept: nothing, at: 0 } // missing or damaged: everything is examined
  }
}

/** File systems note times in steps of some milliseconds. */
const step = 20

/** Undefined if the file cannot be found, or changed so late that it may have changed again without a trace. */
function stampOf(absolute: string, notedAt = Number.POSITIVE_INFINITY): string | undefined {
  const status = statusOf(absolute)
  if (status === undefined) return undefined
  const { dev, ino, size, mtimeNs, ctimeNs } = status
  const last = Math.max(Number(mtimeNs / 1_000_000n), Number(ctimeNs / 1_000_000n))
  return last > notedAt - step ? undefined : [dev, ino, size, mtimeNs, ctimeNs].join(" ")
}

function statusOf(absolute: string): BigIntStats | undefined {
  try {
    return statSync(absolute, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined // its folder cannot be opened: it is examined, and reported, each time
  }
}
