import { expect, test } from "vitest"
import { makeMailRepository } from "../../test/mail-repository.ts"
import { openDrey } from "../drey.ts"
import { learnedPath } from "../memories/ledger.ts"
import { testMemory } from "../memories/review/test-memory.ts"
import { sqliteStore } from "../memories/sqlite-store.ts"
import { makeFolder } from "../memories/staleness/test-repository.ts"
import type { Items, StaleNames } from "../recall/browse/app-api.ts"
import { openTestWeb } from "./test-web.ts"

test("names that no longer exist or have moved are reported in the words of drey why, and existing ones are not", async () => {
  const { get, rowOf } = await openMailApp()
  const { names } = await get<StaleNames>(`/api/items/${await rowOf("Retry mails with growing pauses")}/names`)
  expect(names).toHaveLength(4)
  expect(names).toContainEqual({
    state: "moved",
    text: "src/mail/queue.ts",
    words: "`src/mail/queue.ts` moved to `src/mail/retry.ts` on 2026-02-14",
  })
  expect(names).toContainEqual({
    state: "gone",
    text: "npm run mails",
    words: "`npm run mails` is no longer defined; `package.json` had it on 2026-02-09",
  })
  const valid = await rowOf("Mails are sent by the queue alone")
  expect(await get<StaleNames>(`/api/items/${valid}/names`)).toEqual({ names: [] })
  expect(await get<StaleNames>("/api/items/sem-000000000000/names")).toEqual({ names: [] })
})

test("nothing is reported for a memory that applies to other projects too: they may have what it names", async () => {
  const { get, home, project } = await openMailApp()
  const store = sqliteStore(learnedPath(home))
  const text = "`src/mail/limits.ts` holds the limits."
  const created = "2026-02-10T09:00:00.000Z"
  const owner = { type: "user", id: "ines" } as const
  const given = { text, owner, created, updated: created }
  const here = testMemory("m-00000000000000aa", { ...given, project })
  const everywhere = testMemory("m-00000000000000bb", { ...given, project: undefined, scope: "global" })
  await store.importMemories([here, everywhere], created)
  await store.close()
  expect((await get<StaleNames>(`/api/items/${here.id}/names`)).names).toMatchObject([{ state: "gone" }])
  expect(await get<StaleNames>(`/api/items/${everywhere.id}/names`)).toEqual({ names: [] })
})

async function openMailApp() {
  const { root } = makeMailRepository()
  const home = makeFolder()
  const drey = openDrey({ root, environment: { HOME: home, DREY_HOME: home, DREY_USER: "ines" }, warn: () => {} })
  const project = await drey.memories.project()
  const { get } = await openTestWeb({}, { drey })
  const rowOf = async (title: string) =>
    (await get<Items>("/api/items")).rows.find((row) => row.title === title)?.id ?? "none"
  return { get, home, project: project.id, rowOf }
}
