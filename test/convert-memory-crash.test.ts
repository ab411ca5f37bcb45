import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as turn } from "node:timers/promises"
import { expect, test } from "vitest"
import { legacyEntry } from "./legacy-fixtures.ts"
import { makeRepository, runCli, startCli } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const fileCount = 40
const files = Object.fromEntries(
  Array.from({ length: fileCount }, (_, index) => [
    `.squad/decisions/inbox/rook-${String(index).padStart(2, "0")}.md`,
    legacyEntry("2026-02-03", `Choice ${index}`, { what: `Take ${index}. `.repeat(50 + index) }),
  ]),
)
const paths = Object.keys(files)

/** Each run has a home of its own, for which this is the first write. */
const trusted = expect.stringMatching(/^(?:Trusted this repository\. .*\n)?$/)

test("a conversion killed at any point leaves each file whole, old or new, with the old one kept", async () => {
  const converted = await convertedFiles()
  let cutShort = 0
  for (let attempt = 0; attempt < 10; attempt++) {
    const cwd = makeRepository(files)
    // Forty copies and forty files to write: each attempt is killed eight of these later than the one before.
    await killAfter(cwd, attempt * 8)
    const changed = paths.filter((path) => readFileSync(join(cwd, path), "utf8") !== files[path])
    for (const path of changed) {
      expect(readFileSync(join(cwd, path), "utf8")).toBe(converted[path])
      expect(backupOf(cwd, path)).toBe(files[path])
      expect(manifestOf(cwd)).toContain(path.replace(".squad/", ""))
    }
    if (changed.length > 0 && changed.length < fileCount) cutShort++
    if (attempt % 4 === 1) await expectUndoAndConversion(cwd, converted)
  }
  expect(cutShort).toBeGreaterThan(0) // else nothing was tried
})

test("two conversions at once do no harm", async () => {
  const converted = await convertedFiles()
  for (let attempt = 0; attempt < 2; attempt++) {
    const cwd = makeRepository(files)
    const runs = await Promise.all([1, 2, 3].map(() => runCli(["convert-memory"], placeOf(cwd))))
    for (const { code, stderr } of runs) {
      expect(stderr).not.toContain("internal error")
      expect([0, 1]).toContain(code)
    }
    expect(readAll(cwd)).toEqual(converted)
    const [backup = ""] = backupsOf(cwd)
    const undone = await runCli(["convert-memory", "--undo", backup], placeOf(cwd))
    expect(undone.code).toBe(0)
    expect(readAll(cwd)).toEqual(files)
  }
})

/** All runs in one repository have the same home: what one of them left unfinished, the next one finds there. */
function placeOf(cwd: string) {
  return { cwd, env: { DREY_HOME: join(cwd, "home") } }
}

/** What the store becomes without interference. */
async function convertedFiles(): Promise<Record<string, string>> {
  const cwd = makeRepository(files)
  expect((await runWarm(["convert-memory"], placeOf(cwd))).code).toBe(0)
  const converted = readAll(cwd)
  for (const path of paths) expect(converted[path]).toContain("**type:** decision")
  return converted
}

/** After the crash: what was done can be undone, and the work completed. */
async function expectUndoAndConversion(cwd: string, converted: Record<string, string>): Promise<void> {
  const [backup] = backupsOf(cwd).filter((name) => existsSync(join(cwd, ".squad/backups", name, "manifest.json")))
  if (backup) {
    expect(await runWarm(["convert-memory", "--undo", backup], placeOf(cwd))).toMatchObject({
      code: 0,
      stderr: trusted,
    })
    expect(readAll(cwd)).toEqual(files)
  }
  expect(await runWarm(["convert-memory"], placeOf(cwd))).toMatchObject({ code: 0, stderr: trusted })
  expect(readAll(cwd)).toEqual(converted)
  const { stdout } = await runWarm(["memory", "--json", "--all"], placeOf(cwd))
  expect(JSON.parse(stdout)).toHaveLength(fileCount)
}

/** Kills a conversion with no chance to tidy up, as soon as it has copied and written this many files. */
async function killAfter(cwd: string, steps: number): Promise<void> {
  const old = new Map(paths.map((path) => [path, statSync(join(cwd, path)).ino]))
  const child = startCli(["convert-memory"], placeOf(cwd))
  const ended = new Promise((resolve) => child.on("close", resolve))
  const stepsDone = () => copiesIn(cwd) + paths.filter((path) => statSync(join(cwd, path)).ino !== old.get(path)).length
  while (child.exitCode === null && stepsDone() < steps) await turn()
  child.kill("SIGKILL")
  await ended
}

function copiesIn(cwd: string): number {
  return backupsOf(cwd).flatMap((name) => namesIn(join(cwd, ".squad/backups", name, "decisions/inbox"))).length
}

function backupsOf(cwd: string): string[] {
  return namesIn(join(cwd, ".squad/backups")).filter((name) => name.startsWith("convert-"))
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith(".tmp")) : []
}

function backupOf(cwd: string, path: string): string {
  return readFileSync(join(cwd, ".squad/backups", backupsOf(cwd)[0] ?? "", path.replace(".squad/", "")), "utf8")
}

function manifestOf(cwd: string): string[] {
  const text = readFileSync(join(cwd, ".squad/backups", backupsOf(cwd)[0] ?? "", "manifest.json"), "utf8")
  return JSON.parse(text).files.map(({ path }: { path: string }) => path)
}

function readAll(cwd: string): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(cwd, path), "utf8")]))
}
