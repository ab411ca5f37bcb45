import { expect, test } from "vitest"
import { claudeSession } from "../../test/claude-session.ts"
import { writeFiles } from "../../test/run-cli.ts"
import { openTestLearning } from "./test-learning.ts"

const start = "2026-03-02T08:00:00Z"

function entry(day: string, title: string, lines = ""): string {
  return `### ${day}T10:00:00Z: decision: ${title}\n\n**By:** Ines\n\n${title}, for good reasons.\n${lines}\n`
}

test("entries that are written, edited and replaced are told of, whoever did it", async () => {
  const { root, learning } = openTestLearning()
  await learning.projects()
  const feed = learning.changes()
  expect(await feed.next()).toEqual([])
  const first = entry("2026-02-01", "Use doors")
  writeFiles(root, { ".squad/decisions.md": first })
  expect(await feed.next()).toMatchObject([
    { event: "appeared", what: "entry", title: "Use doors", status: "decisions", project: learning.project.id },
  ])
  writeFiles(root, { ".squad/decisions.md": first.replace("good reasons", "better reasons") })
  expect(await feed.next()).toMatchObject([{ event: "changed", title: "Use doors" }])
  expect(await feed.next()).toEqual([])
  writeFiles(root, { ".squad/decisions.md": "" })
  expect(await feed.next()).toMatchObject([{ event: "ended", title: "Use doors", status: "gone" }])
})

test("a memory is told of when it is learned, pinned and forgotten", async () => {
  const { home, root, learning } = openTestLearning()
  await learning.projects()
  const feed = learning.changes()
  await feed.next()
  const session = claudeSession(home, { cwd: root, session: "one", start })
  session.user("add the invoice total to the checkout page")
  session.run("npm install currency", "added 1 package")
  session.edit("src/checkout.ts")
  session.user("no, we always use pnpm in this repository, never npm")
  session.run("pnpm add currency", "done")
  await learning.ingest()
  const appeared = await feed.next()
  expect(appeared.map(({ event, what, status }) => `${event} ${what} ${status}`)).toContain(
    "appeared memory provisional",
  )
  const id = appeared[0]?.id ?? ""
  await learning.pin(id, true)
  expect(await feed.next()).toMatchObject([{ event: "changed", id }])
  await learning.forget([id])
  expect(await feed.next()).toMatchObject([{ event: "ended", id, status: "deprecated" }])
  await learning.forget([id], { purge: true })
  expect(await feed.next()).toEqual([])
})
