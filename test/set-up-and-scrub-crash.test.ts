import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "esbuild"
import { afterAll, beforeAll, expect, test } from "vitest"
import { crashPoints } from "./crash-points.ts"
import { makeRepository, readTree } from "./run-cli.ts"
import { startChild } from "./start-child.ts"

/** Does its work in a repository and kills itself right before the nth change to the disk; 0 means never. */
const source = `
import { onFileOperation } from "../disk/atomic-write.ts"
import { findStore } from "./team-folder.ts"
import { applySetUp, planSetUp } from "./setup.ts"
import { applyScrub, planScrub } from "./scrub.ts"
const [, , work, root, nth] = process.argv
const now = new Date("2026-02-18T12:00:00Z")
let operations = 0
onFileOperation(() => {
  if (++operations === Number(nth)) process.kill(process.pid, "SIGKILL")
})
if (work === "init") await applySetUp(planSetUp(findStore(root, root + "/home"), { command: "init" }, now), now)
else await applyScrub(planScrub(findStore(root, root + "/home")), now)
console.log(operations)
`

let folder: string
let script: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "drey-test-"))
  for (const name of ["templates", "node_modules"])
    symlinkSync(join(import.meta.dirname, "..", name), join(folder, name))
  script = join(folder, "child.mjs")
  await build({
    stdin: { contents: source, resolveDir: join(import.meta.dirname, "../src/team"), loader: "ts" },
    outfile: script,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("scrub killed before any change to the disk leaves old or new files, and the next scrub leaves only new ones", async () => {
  await killEverywhere("scrub", {
    ".squad/decisions.md": "# Decisions\n\nAsk kim@corp.io.\n",
    ".squad/team.md": "Owner: lee@corp.io\n",
  })
})

test("init killed in between is completed by the next init", async () => {
  await killEverywhere("init", {})
})

async function killEverywhere(work: string, files: Record<string, string>): Promise<void> {
  const whole = makeRepository(files)
  const child = startChild(script, work, whole, "0")
  const operations = Number(await child.nextLine())
  expect(await child.ended, child.errors()).toBe(0)
  expect(operations).toBeGreaterThan(5)
  const wanted = contentOf(whole)
  for (const nth of crashPoints(work, operations, 4)) {
    const root = makeRepository(files)
    expect(await startChild(script, work, root, String(nth)).ended).toBe("SIGKILL")
    for (const [path, text] of Object.entries(contentOf(root))) expect([files[path], wanted[path]]).toContain(text)
    await finish(work, root)
    expect(contentOf(root)).toEqual(wanted)
  }
}

/** A second run may find that the first is completed under its hands, and says so; a third has nothing left to do. */
async function finish(work: string, root: string): Promise<void> {
  for (let run = 0; run < 2; run++) {
    const child = startChild(script, work, root, "0")
    if ((await child.ended) === 0) return
    expect(child.errors()).toContain("changed in the meantime")
  }
  expect(await startChild(script, work, root, "0").ended).toBe(0)
}

/** The files people see: without bookkeeping, and without what a killed process left behind. */
function contentOf(root: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readTree(root)).filter(
      ([path, text]) => text !== "a folder" && !/^(?:home|\.squad\/\.drey)\//.test(path) && !path.endsWith(".tmp"),
    ),
  )
}
