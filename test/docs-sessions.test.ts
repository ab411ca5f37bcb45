import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { commandsIn, readPage, takeBlocks, wordsOf } from "./doc-blocks.ts"
import { makeRepository } from "./run-cli.ts"
import { warmCliIn } from "./warm-cli.ts"

const page = readPage("docs/sessions.md")

test("the run of two agents prints what the page says", async () => {
  const root = makeRepository({ ".squad/team.md": "# Team\n" })
  const { run } = warmCliIn(root)
  const commands = commandsIn(takeBlocks("docs/sessions.md", "console", 8))
  const [, idOnPage = ""] = /^(\d{8}-\d{6}-[0-9a-f]{8}-[a-z-]+)$/m.exec(page) ?? []
  let id: string | undefined
  for (const { line, printed: expected } of commands) {
    const [program, ...words] = wordsOf(line)
    expect(program).toBe("drey")
    const { stdout, stderr } = await run(...words.map((word) => (word === idOnPage ? (id ?? "") : word)))
    id ??= stdout.trim()
    const printed = (stdout + stderr).replaceAll(id, idOnPage).replaceAll(`${root}/`, "")
    expect([line, withoutChance(printed)]).toEqual([line, withoutChance(expected)])
  }
})

test("the format lists the files that a session may have, under the names they get", async () => {
  const root = makeRepository({ ".squad/team.md": "# Team\n" })
  const { run } = warmCliIn(root)
  const id = (await run("session", "start", "Send the report", "--agent", "developer")).stdout.trim()
  await run("session", "discover", "The queue is empty at night", "--type", "code_pattern", "--agent", "tester")
  await run("session", "plan", "--step-description", "Find the queue", "--agent", "developer")
  await run("session", "say", "Begin.", "--role", "user")
  const there = readdirSync(join(root, ".squad", "sessions", id)).filter((name) => !name.startsWith("."))
  const tree = takeBlocks("docs/formats.md", "text", 7).find((text) => text.startsWith("<root>/")) ?? ""
  const named = [...tree.matchAll(/[a-z-]+(?:\.<\w+>)?\.yaml/g)].map(([name]) => name.replace(/<\w+>/, "tester"))
  expect(named.filter((name) => !name.includes("archive")).sort()).toEqual(there.sort())
})

/** What a run takes from the day it happens on. */
function withoutChance(text: string): string {
  return text.replace(/plan-\d{8}/g, "plan-DAY").replace(/session-[0-9a-f]{12}/g, "session-HASH")
}
