import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "esbuild"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readStore } from "../src/team/team-entries.ts"
import { findStore } from "../src/team/team-folder.ts"
import { crashPoints } from "./crash-points.ts"
import { makeRepository } from "./run-cli.ts"
import { startChild } from "./start-child.ts"

/** Imports a bundle into a repository and kills itself right before the nth change to the disk; 0 means never. */
const source = `
import { onFileOperation } from "../disk/atomic-write.ts"
import { findStore } from "./team-folder.ts"
import { importBundle } from "./bundle/bundle-import.ts"
const [, , mode, root, nth] = process.argv
const now = new Date("2026-02-18T12:00:00Z")
let operations = 0
onFileOperation(() => {
  if (++operations === Number(nth)) process.kill(process.pid, "SIGKILL")
})
await importBundle(findStore(root, root + "/home"), root + "/bundle.json", { mode, skillsOnly: false, dryRun: false }, now)
console.log(operations)
`

let folder: string
let script: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "drey-test-"))
  symlinkSync(join(import.meta.dirname, "..", "node_modules"), join(folder, "node_modules"))
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

const files = {
  ".squad/decisions.md": "# Decisions\n\n### 2026-02-15: Ours\n**By:** Kane\n**What:** Tabs.\n",
  "bundle.json": JSON.stringify({
    version: "1.0",
    decisions_md: "# Decisions\n\n### 2026-02-16: Theirs\n**By:** Ash\n**What:** Spaces.\n",
    agents: { ash: { charter: "# Ash\n", history: "# Ash\n\n- Learnt\n" } },
  }),
}

test("an import --merge killed before any change to the disk is completed by the next, and no entry is lost or doubled", async () => {
  await killEverywhere("merge", (root) => {
    const titles = titlesOf(root).filter((title) => !title.startsWith("Imported from"))
    expect(titles).toEqual(["Learnt", "Ours", "Theirs"])
  })
})

test("an import --force killed in between loses neither the old store nor the new", async () => {
  await killEverywhere("force", (root) => {
    expect(titlesOf(root)).toContain("Theirs")
    const aside = readdirSync(root).filter((name) => name.startsWith(".squad-archive-"))
    const texts = aside.map((name) => readFileSync(join(root, name, "decisions.md"), "utf8"))
    expect(texts).toContain(files[".squad/decisions.md"])
  })
})

async function killEverywhere(mode: string, check: (root: string) => void): Promise<void> {
  const whole = makeRepository(files)
  const child = startChild(script, mode, whole, "0")
  const operations = Number(await child.nextLine())
  expect(await child.ended, child.errors()).toBe(0)
  check(whole)
  expect(operations).toBeGreaterThan(3)
  for (const nth of crashPoints(mode, operations, 4)) {
    const root = makeRepository(files)
    expect(await startChild(script, mode, root, String(nth)).ended).toBe("SIGKILL")
    expect(await startChild(script, mode, root, "0").ended).toBe(0)
    check(root)
  }
}

function titlesOf(root: string): string[] {
  return readStore(findStore(root, `${root}/home`), new Date("2026-02-18T12:00:00Z"))
    .entries.map(({ entry }) => entry.title)
    .sort()
}
