import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { crashPoints } from "./crash-points.ts"
import { makeRepository } from "./run-cli.ts"
import { bundleChild, startChild } from "./start-child.ts"

/** One operation on governed memory, by a process that ends itself before its n-th change to the disk, or else says how many there were. */
const child = `
import { onFileOperation } from "./atomic-write.ts"
import { openDrey } from "../drey.ts"
const [root, operation, id, last] = process.argv.slice(2)
const memory = openDrey({ root }).governed
let changes = 0
onFileOperation(() => {
  if (++changes === Number(last)) process.kill(process.pid, "SIGKILL")
})
if (operation === "write") await memory.write({ content: "Second moss", title: "Second" })
if (operation === "agent") await memory.writeForAgent("kane", { content: "Second moss", title: "Second" })
if (operation === "promote") await memory.promote(id, "DECISION")
if (operation === "delete") await memory.delete(id)
process.stdout.write(\`\${changes}\\n\`)
`

let scripts = ""
let script = ""

beforeAll(async () => {
  scripts = mkdtempSync(join(tmpdir(), "drey-kill-"))
  script = await bundleChild(scripts, child)
})

afterAll(() => rmSync(scripts, { recursive: true, force: true }))

test.each(["write", "agent", "promote", "delete"])(
  "a %s killed before any of its changes to the disk loses nothing, and the next command completes it",
  async (operation) => {
    let points = [0] // the first run is not killed, and says how many changes there are
    for (let run = 0; run < points.length; run++) {
      const at = points[run]
      const root = makeRepository({ ".squad/team.md": "" })
      const before = await openDrey({ root }).governed.write({ content: "First moss", title: "First" })
      if (!before.stored) throw new Error("not stored")
      const process = startChild(script, root, operation, before.id, String(at))
      const isDone = at === 0
      if (isDone) points = [0, ...crashPoints(operation, Number(await process.nextLine()), 4)]
      expect(await process.ended).toBe(isDone ? 0 : "SIGKILL")

      const memory = openDrey({ root }).governed
      const found = await memory.search("moss")
      expect(JSON.parse(readFileSync(join(root, ".squad/memory/index.json"), "utf8"))).toBeInstanceOf(Array)
      expect((await memory.verifyAudit()).problems).toEqual([])
      const titles = found.map(({ title }) => title).sort()
      if (operation === "delete") expect([[], ["First"]]).toContainEqual(titles)
      else if (operation === "promote") expect(titles).toEqual(["First"])
      else expect(isDone ? [["First", "Second"]] : [["First"], ["First", "Second"]]).toContainEqual(titles)
      for (const { id } of found) expect((await memory.read(id)).content).toMatch(/moss$/)
      if (isDone) continue
      if (operation === "delete") await memory.delete(before.id)
      expect(await memory.write({ content: "Third moss", title: "Third" })).toMatchObject({ stored: true })
      expect((await memory.verifyAudit()).ok).toBe(true)
    }
    expect(points.length).toBeGreaterThan(3)
  },
)
