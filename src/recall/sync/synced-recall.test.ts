import { appendFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { legacyEntry } from "../../../test/legacy-fixtures.ts"
import { makeRepository, writeFiles } from "../../../test/run-cli.ts"
import type { IndexStore } from "../../index/index-store.ts"
import { sqliteIndex } from "../../index/sqlite-index.ts"
import { testItem } from "../../index/test-items.ts"
import { findStore } from "../../team/team-folder.ts"
import type { LearnedSource } from "../learned-recall.ts"
import { readChanges } from "./origin-changes.ts"
import { isSettled, listOrigins, statFile } from "./origins.ts"
import { openTokenCounter, syncIndex } from "./synced-recall.ts"

const now = () => new Date("2026-02-16T12:00:00Z")
const decisions = ".squad/decisions.md"

async function open(files: Record<string, string | Uint8Array>) {
  const root = makeRepository(files)
  const path = join(makeRepository({}), "index.db")
  const index = await sqliteIndex(path)
  onTestFinished(() => index.close())
  const titles = async () => {
    const trouble = await syncIndex(index, { store: findStore(root, `${root}/home`), learned: undefined }, now)
    const items = await index.select({ agent: "*", superseded: true, archived: true }, { now: 0 })
    return { titles: items.map(({ title }) => title).sort(), trouble }
  }
  return { root, path, index, titles }
}

test("added, changed, moved and removed items are in the index afterwards", async () => {
  const { root, titles } = await open({ [decisions]: legacyEntry("2026-02-05", "Use tabs") })
  expect((await titles()).titles).toEqual(["Use tabs"])
  appendFileSync(join(root, decisions), `\n${legacyEntry("2026-02-06", "Use lamps")}`)
  writeFiles(root, { ".squad/decisions/inbox/x.md": legacyEntry("2026-02-07", "Use doors") })
  expect((await titles()).titles).toEqual(["Use doors", "Use lamps", "Use tabs"])
  writeFileSync(join(root, decisions), legacyEntry("2026-02-06", "Use lamps"))
  rmSync(join(root, ".squad/decisions/inbox/x.md"))
  expect((await titles()).titles).toEqual(["Use lamps"])
})

test("an old file with an unchanged stat is not read again", async () => {
  const { root, index, titles } = await open({ [decisions]: legacyEntry("2026-02-05", "Use tabs") })
  const path = join(root, decisions)
  utimesSync(path, 1, 1)
  await titles()
  const before = await index.origins()
  await titles()
  expect(await index.origins()).toEqual(before)
})

test("a file with only another stat is not parsed again", async () => {
  const { root, index, titles } = await open({ [decisions]: legacyEntry("2026-02-05", "Use tabs") })
  await titles()
  const rows = async () => (await index.select({ agent: "*" }, { now: 0 })).map(({ row }) => row)
  const before = await rows()
  utimesSync(join(root, decisions), 5, 5)
  await titles()
  expect(await rows()).toEqual(before)
})

test("an unreadable file and a merge conflict are reported every time, and affect only themselves", async () => {
  const { root, titles } = await open({
    [decisions]: `${legacyEntry("2026-02-05", "Use tabs")}\n<<<<<<< ours\n${legacyEntry("2026-02-06", "Ours")}=======\n${legacyEntry("2026-02-06", "Theirs")}>>>>>>> theirs\n`,
    ".squad/decisions/broken.md": Uint8Array.of(0xff, 0xfe, 0, 0xd8, 0),
  })
  for (const _ of ["first", "second"]) {
    const found = await titles()
    expect(found.titles).toContain("Use tabs")
    expect(found.trouble.unreadable.map(({ path }) => path)).toEqual([".squad/decisions/broken.md"])
    expect(found.trouble.conflicts).toEqual([{ path: decisions, line: expect.any(Number) }])
  }
  writeFiles(root, { ".squad/decisions/broken.md": legacyEntry("2026-02-08", "Mended"), [decisions]: "" })
  expect(await titles()).toEqual({ titles: ["Mended"], trouble: { unreadable: [], conflicts: [] } })
})

test("several processes update one index at once without an error, and all see the result", async () => {
  const { root, path, titles } = await open({ [decisions]: legacyEntry("2026-02-05", "Use tabs") })
  await titles()
  const others = await Promise.all(Array.from({ length: 4 }, () => sqliteIndex(path)))
  writeFiles(root, { ".squad/decisions/inbox/x.md": legacyEntry("2026-02-07", "Use doors") })
  const seen = await Promise.all(
    others.map(async (index) => {
      await syncIndex(index, { store: findStore(root, `${root}/home`), learned: undefined }, now)
      return (await index.select({ agent: "*" }, { now: 0 })).length
    }),
  )
  expect(seen).toEqual([2, 2, 2, 2])
  for (const index of others) await index.close()
})

test("an entry is read again when the team gets a name that its heading contains", async () => {
  const { root, index, titles } = await open({
    [decisions]: "### 2026-02-05: Mirabel — use lamps\n\nEverywhere.\n",
    ".squad/team.md": "# Team\n",
  })
  await titles()
  const author = async () => (await index.select({ agent: "*" }, { now: 0 }))[0]?.author
  const before = await author()
  writeFiles(root, { ".squad/team.md": "# Team\n\n| Name | Role |\n|---|---|\n| Mirabel | Lead |\n" })
  await titles()
  expect([before, await author()]).toContain("Mirabel")
})

test("a file that disappears between listing and reading is removed, not unreadable", async () => {
  const { root, index, titles } = await open({
    [decisions]: legacyEntry("2026-02-05", "Use tabs"),
    ".squad/decisions/inbox/x.md": legacyEntry("2026-02-07", "Use doors"),
  })
  await titles()
  const store = findStore(root, `${root}/home`)
  const origins = listOrigins(store)
  rmSync(join(root, ".squad/decisions/inbox/x.md"))
  const { changed, gone } = await readChanges(store, origins, undefined, await index.origins(), now)
  expect([changed, gone]).toEqual([[], [".squad/decisions/inbox/x.md"]])
})

test("a file with a modification time in the future is read once, not every time", () => {
  const root = makeRepository({ [decisions]: legacyEntry("2026-02-05", "Use tabs") })
  const path = join(root, decisions)
  const ahead = Date.now() / 1000 + 86_400
  utimesSync(path, ahead, ahead)
  const look = statFile(path)
  expect(look && isSettled(look, Date.now())).toBe(true)
  utimesSync(path, Date.now() / 1000, Date.now() / 1000)
  const fresh = statFile(path)
  expect(fresh && isSettled(fresh, Date.now())).toBe(false)
})

test("a damaged stamp costs one read of its file", async () => {
  const { index, titles } = await open({ [decisions]: legacyEntry("2026-02-05", "Use tabs") })
  await titles()
  const known = await index.origins()
  await index.restamp(
    [...known.keys()].map((key) => ({ key, stamp: "no JSON" })),
    known,
  )
  expect(await titles()).toEqual({ titles: ["Use tabs"], trouble: { unreadable: [], conflicts: [] } })
  expect([...(await index.origins()).values()]).not.toContain("no JSON")
})

/** The index as seen by a slow process: `meanwhile` runs while it requests the stamps, before or after they are read. */
function slowed(index: IndexStore, when: "before" | "after", meanwhile: () => Promise<unknown>): IndexStore {
  let isFirst = true
  return {
    ...index,
    async origins() {
      const known = await index.origins()
      if (!isFirst) return known
      isFirst = false
      await meanwhile()
      return when === "after" ? known : index.origins()
    },
  }
}

test.each(["before", "after"] as const)(
  "items that another process indexed are not dropped by one that listed the files earlier, %s it read the stamps",
  async (when) => {
    const { root, index, titles } = await open({ [decisions]: legacyEntry("2026-02-05", "Use tabs") })
    await titles()
    const slow = slowed(index, when, async () => {
      writeFiles(root, { ".squad/decisions/inbox/x.md": legacyEntry("2026-02-07", "Use doors") })
      await titles()
    })
    await syncIndex(slow, { store: findStore(root, `${root}/home`), learned: undefined }, now)
    expect((await index.select({ agent: "*" }, { now: 0 })).map(({ title }) => title)).toContain("Use doors")
  },
)

test("the first memories are not dropped by a process that started before anything was learned", async () => {
  const { root, index } = await open({ [decisions]: legacyEntry("2026-02-05", "Use tabs") })
  const store = findStore(root, `${root}/home`)
  const memory = testItem("memory", { source: "learned", title: "Use lamps" })
  let learned: LearnedSource | undefined
  const slow = slowed(index, "before", async () => {
    learned = { stamp: async () => "1", items: async () => [memory] }
    await syncIndex(index, { store, learned: () => learned }, now)
  })
  await syncIndex(slow, { store, learned: () => learned }, now)
  expect((await index.select({ sources: ["learned"] }, { now: 0 })).map(({ title }) => title)).toEqual(["Use lamps"])
})

test.each([
  ["an inbox", ".squad/decisions/inbox/x.md", decisions],
  ["the decisions", decisions, ".squad/decisions-archive.md"],
])("an entry that leaves %s while the files are read is in the index all the time", async (_, from, to) => {
  const { root, index, titles } = await open({ [from]: legacyEntry("2026-02-07", "Use doors") })
  await titles()
  let isMoved = false
  const move = () => {
    if (isMoved) return
    isMoved = true
    writeFiles(root, { [to]: legacyEntry("2026-02-07", "Use doors") })
    rmSync(join(root, from))
  }
  const seen: string[][] = []
  const watched: IndexStore = {
    ...index,
    async update(...change) {
      const outcome = await index.update(...change)
      seen.push((await index.select({ agent: "*", archived: true }, { now: 0 })).map(({ title }) => title))
      return outcome
    },
  }
  await syncIndex(watched, { store: findStore(root, `${root}/home`), learned: undefined, progress: move }, now)
  expect(seen).toEqual([["Use doors"]])
})

test("text is counted as o200k_base counts it", async () => {
  const count = await openTokenCounter()
  expect(count("hello world")).toBe(2)
  expect(count("antidisestablishmentarianism")).toBe(6)
})

test("text that reads like a special token is counted as plain text", async () => {
  const count = await openTokenCounter()
  expect(count("<|endoftext|>")).toBeGreaterThan(1)
  expect(count("<|fim_prefix|> and <|im_start|>system")).toBeGreaterThan(4)
})
