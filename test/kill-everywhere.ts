import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { afterAll, beforeAll, expect } from "vitest"
import { openDrey } from "../src/drey.ts"
import { parseQuery } from "../src/formats/query.ts"
import { stateFolder } from "../src/team/journal.ts"
import { findStore, folderOf } from "../src/team/team-folder.ts"
import { crashPoints } from "./crash-points.ts"
import { legacyEntry, semEntry } from "./legacy-fixtures.ts"
import { makeRepository, readTree } from "./run-cli.ts"
import { bundleChild, startChild } from "./start-child.ts"

export const clock = new Date("2026-11-15T12:00:00Z")
let folder = ""
let script = ""

/** To be called once by a test file: bundles the process that is killed. */
export function setUpKilling(): void {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "drey-crash-"))
    script = await bundleChild(
      folder,
      `import { onFileOperation } from "./atomic-write.ts"
     import { openDrey } from "../drey.ts"
     const [root, command, at] = process.argv.slice(2)
     let operation = 0
     onFileOperation(() => {
       if (++operation === Number(at)) process.kill(process.pid, "SIGKILL")
     })
     const drey = openDrey({ root, now: () => new Date("${clock.toISOString()}"), environment: { DREY_HOME: root + "/home" } })
     await (command === "undo" ? drey.team.changes.undo() : drey.team[command]())
     console.log(operation)`,
    )
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))
}

const long = (index: number) => `Take way ${index}. ${"It reads well. ".repeat(60)}`

/** Something for every step to do, and as few files as that takes. */
function store(): Record<string, string> {
  const old = Array.from({ length: 22 }, (_, index) =>
    legacyEntry("2026-01-05", `Choice ${index}`, { what: long(index) }),
  )
  const lessons = Array.from({ length: 60 }, (_, index) => `- Lesson ${index}: ${"it pays off. ".repeat(18)}`)
  return {
    ".squad/decisions.md": `# Squad Decisions\n\n${semEntry("2026-10-30T10:00:00+0000", "decision", "Use tabs")}\n${old.join("\n")}`,
    ".squad/decisions/inbox/wren.md": semEntry("2026-11-14T10:00:00+0000", "decision", "Use spaces", {
      fields: ["**supersedes:** 2026-10-30T10:00:00+0000", "**scope:** agent:rook"],
    }),
    ".squad/agents/rook/history.md": `# Rook\n\n## Learnings\n\n${lessons.join("\n")}\n`,
  }
}

export function dreyIn(root: string) {
  return openDrey({ root, now: () => clock, environment: { DREY_HOME: join(root, "home") } })
}

/** With what Drey remembers of it, which a plain copy would begin without. */
function copyRepository(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  const stateOf = (root: string) => relative(root, stateFolder(folderOf(findStore(root, join(root, "home")))))
  const [old, young] = [join(to, stateOf(from)), join(to, stateOf(to))]
  if (!existsSync(old)) return
  mkdirSync(dirname(young), { recursive: true })
  renameSync(old, young)
}

async function idsOf(root: string): Promise<string[]> {
  const parsed = parseQuery("-tag:team-update")
  if (parsed.kind !== "query") throw new Error("This is a query.")
  const { entries, unreadable } = await dreyIn(root).search.entries(parsed.query, { all: true })
  expect(unreadable).toEqual([])
  return entries.map(({ id }) => id).sort()
}

/** The store as people see it. The audit is left out: every clone's chain has a name of its own, and undo takes no line back. */
function filesOf(root: string): Record<string, string> {
  const own = ([path]: [string, string]) => path.startsWith(".squad/") && !/^\.squad\/(?:\.drey|memory)/.test(path)
  return Object.fromEntries(Object.entries(readTree(root)).filter(own))
}

/**
 * Kills a command before some or all of its file operations in turn, each time on a fresh copy of the store. Nothing may be
 * missing then, and the next command must complete the work. Returns how many operations there were.
 */
export async function killEverywhere(
  command: "merge" | "archive" | "tidy" | "undo",
  prepare: (root: string) => Promise<void>,
): Promise<number> {
  const prepared = makeRepository(store())
  await prepare(prepared)
  const ids = await idsOf(prepared)
  const before = filesOf(prepared)
  const whole = makeRepository({})
  copyRepository(prepared, whole)
  const child = startChild(script, whole, command, "0")
  const operations = Number(await child.nextLine())
  expect(await child.ended, child.errors()).toBe(0)
  const after = filesOf(whole)
  expect(after).not.toEqual(before)
  const idsAfter = await idsOf(whole)

  for (const at of crashPoints(`${expect.getState().currentTestName}`, operations, 4)) {
    const root = makeRepository({})
    copyRepository(prepared, root)
    const killed = startChild(script, root, command, String(at))
    expect(await killed.ended).toBe("SIGKILL")
    const present = new Set(await idsOf(root))
    expect(ids.filter((id) => !present.has(id))).toEqual([]) // before anything is repaired, nothing is missing
    const isUndo = command === "undo"
    const begun = JSON.stringify(filesOf(root)) !== JSON.stringify(before) || hasBegun(root, isUndo)
    if (!isUndo || !begun) await (isUndo ? dreyIn(root).team.changes.undo() : dreyIn(root).team[command]())
    else await dreyIn(root).team.merge() // any command under the lock finishes what was begun
    if (isUndo && begun) await continueWith(root, ids)
    else {
      expect(withoutTemporary(filesOf(root))).toEqual(after)
      expect(await idsOf(root)).toEqual(idsAfter)
    }
    rmSync(root, { recursive: true, force: true })
  }
  return operations
}

async function continueWith(root: string, ids: string[]): Promise<void> {
  expect(new Set(await idsOf(root))).toEqual(new Set(ids))
}

function hasBegun(root: string, isUndo: boolean): boolean {
  if (!isUndo) return false
  const states = Object.entries(readTree(join(root, "home/state")))
    .filter(([path]) => path.endsWith("/manifest.json"))
    .map(([, text]) => JSON.parse(text).state)
  return states.includes("undoing") || states.includes("undone")
}

/** A killed process may leave the file it was about to rename; every reader passes it over. */
function withoutTemporary(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith(".tmp")))
}
