import { expect, test } from "vitest"
import { claudeSession } from "../../test/claude-session.ts"
import { writeFiles } from "../../test/run-cli.ts"
import { type FeedItem, type FeedSource, openChangeFeed } from "./change-feed.ts"
import { openTestLearning } from "./test-learning.ts"

const now = () => new Date("2026-03-02T08:00:00Z")

/** A place whose items a test sets; counts how often they are read. */
function place(name: string, first: FeedItem[] = []) {
  let items = first
  let stamp = 0
  let reads = 0
  const source: FeedSource = {
    name,
    stamp: async () => String(stamp),
    async items() {
      reads++
      return items
    },
  }
  return {
    source,
    reads: () => reads,
    set(next: FeedItem[]) {
      items = next
      stamp++
    },
  }
}

function memory(id: string, change: Partial<FeedItem> = {}): FeedItem {
  return {
    what: "memory",
    type: "note",
    id,
    project: "p-1",
    title: `about ${id}`,
    status: "provisional",
    firstStatus: "provisional",
    ended: false,
    content: "",
    ...change,
  }
}

async function feedOf(...places: { source: FeedSource }[]) {
  const feed = openChangeFeed(async () => places.map(({ source }) => source), now)
  await feed.next()
  return async () => (await feed.next()).map(({ event, id, status }) => `${event} ${id} ${status}`)
}

test("existing items are not reported at first; additions, changes and ends are, each once", async () => {
  const store = place("memories", [memory("a"), memory("b")])
  const next = await feedOf(store)
  expect(await next()).toEqual([])
  store.set([memory("a", { status: "active" }), memory("b", { status: "deprecated", ended: true }), memory("c")])
  expect(await next()).toEqual(["changed a active", "ended b deprecated", "appeared c provisional"])
  expect(await next()).toEqual([])
})

test("another title or content is a change; the same under a new stamp is not", async () => {
  const store = place("memories", [memory("a"), memory("b"), memory("c")])
  const next = await feedOf(store)
  store.set([memory("a", { title: "other" }), memory("b", { content: "pinned" }), memory("c")])
  expect(await next()).toEqual(["changed a provisional", "changed b provisional"])
  store.set([memory("a", { title: "other" }), memory("b", { content: "pinned" }), memory("c")])
  expect(await next()).toEqual([])
})

test("a removed item has ended, unless it had before; a restored one is added", async () => {
  const store = place("memories", [memory("a"), memory("old", { ended: true })])
  const next = await feedOf(store)
  store.set([])
  expect(await next()).toEqual(["ended a gone"])
  store.set([memory("a")])
  expect(await next()).toEqual(["appeared a provisional"])
})

test("an item that was added and removed between two polls is reported with both, each in its state at the time", async () => {
  const store = place("memories")
  const next = await feedOf(store)
  store.set([memory("a", { status: "deprecated", ended: true })])
  expect(await next()).toEqual(["appeared a provisional", "ended a deprecated"])
})

test("while the stamp is unchanged nothing is read", async () => {
  const store = place("memories", [memory("a")])
  const next = await feedOf(store)
  await next()
  await next()
  expect(store.reads()).toBe(1)
})

test("entries of a project added later are not reported one by one, but changes in it are", async () => {
  const one = place("entries one")
  const two = place("entries two", [memory("x"), memory("y")])
  const places = [one]
  const feed = openChangeFeed(async () => places.map(({ source }) => source), now)
  await feed.next()
  places.push(two)
  expect(await feed.next()).toEqual([])
  two.set([memory("x"), memory("y"), memory("z", { what: "entry", project: undefined })])
  expect(await feed.next()).toEqual([
    {
      event: "appeared",
      what: "entry",
      type: "note",
      id: "z",
      project: null,
      title: "about z",
      status: "provisional",
      at: "2026-03-02T08:00:00.000Z",
    },
  ])
})

const start = "2026-03-02T08:00:00Z"

function entry(day: string, title: string, lines = ""): string {
  return `### ${day}T10:00:00Z: decision: ${title}\n\n**By:** Ines\n\n${title}, for good reasons.\n${lines}\n`
}

test("entries that are written, edited and replaced are reported, whatever made the change", async () => {
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

test("a memory is reported when it is learned, pinned and forgotten", async () => {
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
