import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openDatabase } from "../../../src/disk/sqlite.ts"
import { DreyError } from "../../../src/errors.ts"
import type { SoakLog, Written } from "./soak-log.ts"
import type { SoakPlace } from "./soak-place.ts"

/** What was found when all was quiet again; each line of `wrong` is something that must not be. */
export type EndReport = {
  counts: Record<string, { acknowledged: number; found: number }>
  wrong: string[]
  checked: string[]
}

export async function checkEnd(place: SoakPlace, log: SoakLog, session: string): Promise<EndReport> {
  const report: EndReport = { counts: {}, wrong: [], checked: [] }
  const texts: Record<Written["in"], string> = {
    governed: JSON.stringify(await jsonOf(place, ["memory", "list"])),
    entries: JSON.stringify(await jsonOf(place, ["memory", "--all"])),
    session: filesBelow(join(place.root, ".squad", "sessions", session))
      .map((path) => readFileSync(path, "utf8"))
      .join("\n"),
  }
  for (const written of log.written) {
    const count = report.counts[written.writer] ?? { acknowledged: 0, found: 0 }
    report.counts[written.writer] = count
    count.acknowledged++
    const isThere = texts[written.in].includes(`${written.word} `)
    if (isThere) count.found++
    else report.wrong.push(`lost: ${written.word}, which ${written.writer} wrote to ${written.in}`)
  }
  await checkCommand(place, report, "the audit's chains are whole", ["memory", "audit", "--verify"])
  await checkCommand(place, report, "every file is valid", ["validate"])
  await checkCommand(place, report, "every session is valid", ["session", "validate"])
  checkDatabases(place, report)
  checkLeftovers(place, report)
  await checkLearning(place, report)
  for (const bug of place.bugs) report.wrong.push(`a bug: ${bug}`)
  return report
}

async function jsonOf(place: SoakPlace, args: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await place.run("check", [...args, "--json"])
  if (code !== 0 && stdout === "") throw new Error(`drey ${args.join(" ")} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

async function checkCommand(
  place: SoakPlace,
  report: EndReport,
  promise: string,
  args: readonly string[],
): Promise<void> {
  const { code, stdout, stderr } = await place.run("check", args)
  if (code === 0) report.checked.push(promise)
  else report.wrong.push(`not so: ${promise}. ${(stderr || stdout).trim().slice(-600)}`)
}

function checkDatabases(place: SoakPlace, report: EndReport): void {
  const databases = filesBelow(place.folder).filter((path) => /\.db$/.test(path))
  for (const path of databases) {
    const database = openDatabase(path, { readOnly: true })
    const rows = database.prepare<{ integrity_check: string }>("PRAGMA integrity_check").all()
    database.close()
    if (rows[0]?.integrity_check !== "ok") report.wrong.push(`damaged: ${path}: ${rows[0]?.integrity_check}`)
  }
  report.checked.push(`${databases.length} databases pass their integrity check`)
}

/** A lock is a file that stays; no process may still hold it. */
function checkLeftovers(place: SoakPlace, report: EndReport): void {
  const files = filesBelow(place.folder)
  const temporary = files.filter((path) => path.endsWith(".tmp"))
  for (const path of temporary) report.wrong.push(`left behind: ${path}`)
  const locks = files.filter((path) => /(?:^|[/.])lock$/.test(path))
  for (const path of locks) {
    try {
      const lock = openDatabase(path, { timeoutMs: 0 })
      lock.transaction("exclusive", () => undefined)
      lock.close()
    } catch (error) {
      if (!(error instanceof DreyError)) throw error
      report.wrong.push(`still locked: ${error.message}`)
    }
  }
  report.checked.push(`${locks.length} locks are free, ${temporary.length} temporary files are left`)
}

/** All transcripts ingested again, in a home without kills: the episodes must be the same. */
async function checkLearning(place: SoakPlace, report: EndReport): Promise<void> {
  const transcripts = filesBelow(join(place.home, ".claude")).filter((path) => path.endsWith(".jsonl"))
  const takenIn = async (home: string) => {
    place.environment.DREY_HOME = home
    await jsonOf(place, ["ingest"])
    await jsonOf(place, ["flush"])
    return episodesIn(join(home, "drey.db"))
  }
  const soaked = await takenIn(join(place.home, ".drey"))
  const undisturbed = await takenIn(join(place.folder, "undisturbed"))
  for (const id of undisturbed) if (!soaked.has(id)) report.wrong.push(`not learned from: episode ${id}`)
  for (const id of soaked) if (!undisturbed.has(id)) report.wrong.push(`cut otherwise: episode ${id}`)
  report.checked.push(
    `${soaked.size} episodes of ${transcripts.length} transcripts, ${undisturbed.size} where nobody was killed`,
  )
}

function episodesIn(path: string): Set<string> {
  const database = openDatabase(path, { readOnly: true })
  const ids = database
    .prepare<{ id: string }>("SELECT episode_id AS id FROM episodes")
    .all()
    .map(({ id }) => id)
  database.close()
  return new Set(ids)
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((item) => item.isFile())
    .map((item) => join(item.parentPath, item.name))
}
