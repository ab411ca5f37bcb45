import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { openDrey } from "../src/drey.ts"
import { readEntries } from "../src/formats/entries.ts"
import { semEntry } from "./legacy-fixtures.ts"
import { makeRepository } from "./run-cli.ts"
import { bundleChild, startChild } from "./start-child.ts"

const decisions = `# Decisions\n\n${semEntry("2026-01-10T09:00:00+0000", "decision", "Use tabs")}\n${semEntry("2026-01-11T09:00:00+0000", "decision", "Ship on Fridays")}`
const [tabs] = readEntries(decisions, { kind: "decisions" }).entries

test("an edit that is killed before any of its file operations happened, or did not, and never by half", async () => {
  const folder = mkdtempSync(join(tmpdir(), "drey-edit-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const script = await bundleChild(
    folder,
    `import { onFileOperation } from "./atomic-write.ts"
     import { openDrey } from "../drey.ts"
     const [root, id, at] = process.argv.slice(2)
     let operation = 0
     onFileOperation(() => {
       if (++operation === Number(at)) process.kill(process.pid, "SIGKILL")
     })
     const { editor } = openDrey({ root, environment: { DREY_HOME: root + "/home", DREY_USER: "ines" } }).team
     const { version } = await editor.read(id)
     await editor.supersede(id, { version, title: "Use spaces", markdown: "Two of them." })
     console.log(operation)`,
  )
  const id = tabs?.id ?? ""
  const copy = () => {
    const root = makeRepository({})
    cpSync(prepared, root, { recursive: true })
    return root
  }
  const prepared = makeRepository({ ".squad/decisions.md": decisions })
  const whole = startChild(script, copy(), id, "0")
  const operations = Number(await whole.nextLine())
  expect(operations, whole.errors()).toBeGreaterThan(4)

  const killed = async (at: number) => {
    const root = copy()
    expect(await startChild(script, root, id, String(at)).ended).toBe("SIGKILL")
    const drey = openDrey({ root, environment: { DREY_HOME: join(root, "home"), DREY_USER: "ines" } })
    await drey.team.merge() // any command under the lock finishes what was begun
    const text = readFileSync(join(root, ".squad/decisions.md"), "utf8")
    const isDone = text.includes("decision: Use spaces")
    expect(text.includes("**supersededBy:**")).toBe(isDone)
    if (isDone) await drey.team.changes.undo()
    expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toBe(decisions)
    return isDone
  }
  const outcomes = await Promise.all(Array.from({ length: operations }, (_, at) => killed(at + 1)))
  expect(new Set(outcomes)).toEqual(new Set([false, true]))
})
