import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { makeRepository } from "./run-cli.ts"
import { bundleChild, startChild } from "./start-child.ts"

/** One operation on governed memory, by a process that ends itself before its n-th change to the disk. */
const child = `
import { onFileOperation } from "./file-operations.ts"
import { openDrey } from "../drey.ts"
const [root, operation, id, last] = process.argv.slice(2)
const memory = await openDrey({ root }).governedMemory()
let left = Number(last)
onFileOperation(() => {
  if (left-- === 0) process.kill(process.pid, "SIGKILL")
})
if (operation === "write") await memory.write({ content: "Second moss", title: "Second" })
if (operation === "agent") await memory.writeForAgent("kane", { content: "Second moss", title: "Second" })
if (operation === "promote") await memory.promote(id, "DECISION")
if (operation === "delete") await memory.delete(id)
process.stdout.write("done\\n")
`

test.each(["write", "agent", "promote", "delete"])(
  "a %s killed before any of its changes to the disk loses nothing, and the next command goes on",
  async (operation) => {
    const script = await bundleChild(makeRepository({}), child)
    for (let at = 0; ; at++) {
      const root = makeRepository({ ".squad/team.md": "" })
      const before = await (await openDrey({ root }).governedMemory()).write({ content: "First moss", title: "First" })
      if (!before.stored) throw new Error("not stored")
      const process = startChild(script, root, operation, before.id, String(at))
      const isDone = (await process.nextLine()) === "done"
      expect(await process.ended).toBe(isDone ? 0 : "SIGKILL")

      const memory = await openDrey({ root }).governedMemory()
      const found = await memory.search("moss")
      expect(JSON.parse(readFileSync(join(root, ".squad/memory/index.json"), "utf8"))).toBeInstanceOf(Array)
      expect(memory.verifyAudit().problems).toEqual([])
      const titles = found.map(({ title }) => title).sort()
      if (operation === "delete") expect([[], ["First"]]).toContainEqual(titles)
      else if (operation === "promote") expect(titles).toEqual(["First"])
      else expect(isDone ? [["First", "Second"]] : [["First"], ["First", "Second"]]).toContainEqual(titles)
      for (const { id } of found) expect(memory.read(id).content).toMatch(/moss$/)
      if (isDone) break
      if (operation === "delete") await memory.delete(before.id)
      expect(await memory.write({ content: "Third moss", title: "Third" })).toMatchObject({ stored: true })
      expect(memory.verifyAudit().ok).toBe(true)
    }
  },
)
