import fc from "fast-check"
import { expect, test } from "vitest"
import { add, learnOne } from "../../memories/test-store.ts"
import { type Fault, startFakeTeamServer } from "./test-server.ts"
import { testTeam } from "./test-team.ts"
import { testMemoryId, testTeamMemory } from "./test-team-memory.ts"

const runs = Math.min(Number(process.env.DREY_PROPERTY_RUNS ?? 25), 500)
const names = ["a", "b", "c"]

type Step =
  | { do: "edit"; name: string }
  | { do: "remove"; name: string }
  | { do: "use"; name: string }
  | { do: "share"; own: number }
  | { do: "unshare"; own: number }
  | { do: "sync"; fault: "drop" | "lose" | "refuse" | undefined; at: number }

const named = (kind: "edit" | "remove" | "use") => fc.constantFrom(...names).map((name): Step => ({ do: kind, name }))
const owned = (kind: "share" | "unshare") => fc.nat(1).map((own): Step => ({ do: kind, own }))
const step: fc.Arbitrary<Step> = fc.oneof(
  named("edit"),
  named("remove"),
  named("use"),
  owned("share"),
  owned("unshare"),
  fc.record({
    do: fc.constant("sync" as const),
    fault: fc.constantFrom("drop" as const, "lose" as const, "refuse" as const, undefined),
    at: fc.nat(4),
  }),
)

/** The nth request from now fails, and all after it, as when the network is lost. */
function faultAt(fault: Extract<Step, { do: "sync" }>["fault"], at: number): () => Fault {
  let asked = 0
  return () => {
    if (fault === undefined || asked++ < at) return undefined
    return fault === "refuse" ? { status: 503, body: "" } : fault
  }
}

test("whatever is dropped, lost and repeated on the way, both sides end with the same content, and every use once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (history) => {
      const server = await startFakeTeamServer()
      const { store, team } = testTeam()
      server.pageSize = 2
      await team.login({ server: server.url, token: "token-of-kim" })
      const own = [
        await learnOne(store, "one", add("Run the linter before you push.")),
        await learnOne(store, "two", add("Write the changelog in English.")),
      ]
      const used = new Set<string>()
      const isShared = [false, false]
      let version = 1
      for (const [at, each] of history.entries()) {
        if (each.do === "edit") {
          version++
          server.put(testTeamMemory(each.name, { version, text: `Version ${version} of ${each.name} is in force.` }))
        } else if (each.do === "remove") {
          if (server.memories.has(testMemoryId(each.name))) server.remove(testMemoryId(each.name))
        } else if (each.do === "use") {
          const id = testMemoryId(each.name)
          if ((await store.find(id)).length === 0) continue
          const task = { task: `t-${at}`, project: "p-one", session: "s", agent: undefined, taskHash: `${at}` }
          const memories = [{ id, injected: true, rank: 1, score: 1 }]
          await store.recordTask({ ...task, ts: new Date(at * 1000).toISOString(), memories })
          used.add(`${id} t-${at}`)
        } else if (each.do === "share") {
          await team.share(await team.planShare([own[each.own] ?? ""]))
          isShared[each.own] = true
        } else if (each.do === "unshare") {
          await team.unshare([own[each.own] ?? ""])
          isShared[each.own] = false
        } else {
          server.fault = faultAt(each.fault, each.at)
          await team.sync() // and later shares meet the same network, until the next sync
        }
      }
      server.fault = () => undefined
      expect((await team.sync()).problem).toBeUndefined()
      const copies = (await store.memories({})).filter(({ owner }) => owner.type !== "user")
      const said = (memories: { id: string; text: string }[]) => memories.map(({ id, text }) => `${id} ${text}`).sort()
      expect(said(copies)).toEqual(said([...server.memories.values()]))
      expect([...server.uses.values()].map(({ memory, task }) => `${memory} ${task}`).sort()).toEqual([...used].sort())
      const shared = own.map(
        (id) => [...server.memories.values()].filter(({ sourceMemory }) => sourceMemory === id).length,
      )
      expect(shared).toEqual(isShared.map(Number))
      expect(await team.status()).toMatchObject({ waiting: { use: 0, share: 0, unshare: 0 } })
      await server.close()
    }),
    { numRuns: runs },
  )
})
