import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { SyncPlace } from "../src/learning/machine-sync.ts"
import type { LearnedStore } from "../src/memories/learned-store.ts"
import { sqliteStore } from "../src/memories/sqlite-store.ts"
import { add, learnOne, minute } from "../src/memories/test-store.ts"
import { type LearningPlace, learningPlace } from "./learning-place.ts"
import { makeRepository, startCli } from "./run-cli.ts"
import { seeded } from "./seeded.ts"

type Machine = LearningPlace & {
  store: LearnedStore
  sync: (place?: SyncPlace) => Promise<{ received: number; sent: number }>
}

function makeMachine(): Machine {
  const place = learningPlace()
  const store = sqliteStore(place.database)
  return { ...place, store, sync: (given) => place.learning().sync(given) }
}

function bareRepository(): string {
  const folder = makeRepository({})
  execFileSync("git", ["init", "-q", "--bare", folder])
  return folder
}

async function stateOf({ store }: Machine): Promise<unknown> {
  return (await store.syncWith([], { owner: "ines", now: minute(0) })).records
}

const textsOf = async ({ store }: Machine) =>
  (await store.memories({ statuses: ["provisional", "active"] })).map(({ text }) => text).sort()

test("two machines meet in a git repository, one file per memory; the second sync needs no place", async () => {
  const git = bareRepository()
  const [desk, laptop] = [makeMachine(), makeMachine()]
  await learnOne(desk.store, "a", add("Use tabs in the ledger"))
  const gone = await learnOne(laptop.store, "b", add("Print invoices twice"))
  expect(await desk.sync({ git })).toMatchObject({ sent: 1, received: 0 })
  expect(await laptop.sync({ git })).toMatchObject({ sent: 1, received: 1 })
  await laptop.store.forget([gone], { purge: false, reason: "wrong", now: minute(50) })
  await laptop.sync()
  await desk.sync()
  expect(await textsOf(desk)).toEqual(["Use tabs in the ledger"])
  expect(await stateOf(desk)).toEqual(await stateOf(laptop))
  expect(await desk.sync()).toMatchObject({ sent: 0, received: 0 })
  const files = execFileSync("git", ["--git-dir", git, "ls-tree", "--name-only", "main", "memories/"]).toString()
  expect(files.trim().split("\n")).toHaveLength(2)
})

test("with a key file, the repository holds nothing readable, and another key does not open it", async () => {
  const git = bareRepository()
  const [desk, laptop] = [makeMachine(), makeMachine()]
  const key = join(desk.home, "sync.key")
  await learnOne(desk.store, "a", add("Use tabs in the ledger"))
  expect(await desk.sync({ git, key })).toMatchObject({ madeKey: true })
  const all = execFileSync("git", ["--git-dir", git, "log", "-p", "main"]).toString()
  expect(all).not.toContain("tabs")
  expect(all).toContain("sealed")
  await expect(laptop.sync({ git })).rejects.toThrow("encrypted")
  await expect(laptop.sync({ git, key: join(laptop.home, "other.key") })).rejects.toThrow("does not open")
  await laptop.sync({ git, key })
  expect(await textsOf(laptop)).toEqual(["Use tabs in the ledger"])
})

test("a shared folder works too, with the copies that its service makes of a conflict", async () => {
  const folder = makeRepository({})
  const [desk, laptop] = [makeMachine(), makeMachine()]
  const id = await learnOne(desk.store, "a", add("Use tabs in the ledger"))
  await desk.sync({ folder })
  await laptop.sync({ folder })
  const file = join(folder, "memories", `${id}.json`)
  const before = readFileSync(file, "utf8")
  await laptop.store.setPinned(id, true, minute(50))
  await laptop.sync()
  renameSync(file, join(folder, "memories", `${id}.sync-conflict-20260301.json`))
  writeFileSync(file, before)
  writeFileSync(join(folder, "memories", "m-00000000000000aa.json"), "{ half a fi")
  expect(await desk.sync()).toMatchObject({ received: 1, unreadable: ["m-00000000000000aa.json"] })
  expect(await desk.store.find(id)).toMatchObject([{ pinned: true }])
  expect(readdirSync(join(folder, "memories")).sort()).toEqual(["m-00000000000000aa.json", `${id}.json`])
  expect(readFileSync(file, "utf8")).not.toBe(before)
})

test.each([
  [{ git: "/no/such/repository" }, "Not synced with /no/such/repository"],
  [{ git: "ext::sh -c true" }, "is not the URL or path"],
  [{ git: "--upload-pack=true" }, "is not the URL or path"],
  [{ folder: "/no/such/folder" }, "is not a folder"],
  [undefined, "No place to sync"],
])("%j is refused, and nothing is lost", async (place, message) => {
  const desk = makeMachine()
  await learnOne(desk.store, "a", add("Use tabs in the ledger"))
  await expect(desk.sync(place as SyncPlace)).rejects.toThrow(message)
  expect(await textsOf(desk)).toEqual(["Use tabs in the ledger"])
})

/** A folder with a `git` that kills its caller (kill -9) at its nth call, before it runs or after; count in `calls`. */
function killingGit(at: number, moment: "before" | "after"): string {
  const folder = makeRepository({})
  const kill = "kill -9 $PPID; exit 1"
  const script = [
    "#!/bin/sh",
    `echo x >> "${folder}/calls"`,
    `nth=$(wc -l < "${folder}/calls")`,
    `if [ "$nth" -eq ${at} ] && [ ${moment} = before ]; then ${kill}; fi`,
    `${gitPath} "$@"`,
    "status=$?",
    `if [ "$nth" -eq ${at} ]; then ${kill}; fi`,
    "exit $status",
  ]
  writeFileSync(join(folder, "git"), script.join("\n"), { mode: 0o755 })
  return folder
}

const gitPath = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim()

/** Of one sync that changes something, in both directions. */
const gitCalls = 9

test("two machines that are killed at any step of a sync, and change the same memories while apart, end equal; nothing is lost, and forgetting wins", async () => {
  const git = bareRepository()
  const machines = [makeMachine(), makeMachine()] as const
  const random = seeded(24)
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]
  const [learned, forgotten, pinned] = [new Set<string>(), new Set<string>(), new Set<string>()]
  let killed = 0
  for (const machine of machines) mkdirSync(machine.env.DREY_HOME, { recursive: true })
  for (let round = 0; round < 12; round++) {
    const [here, there] = round % 2 === 0 ? machines : [machines[1], machines[0]]
    for (const [machine, name] of [
      [here, `here ${round}`],
      [there, `there ${round}`],
    ] as const) {
      await learnOne(machine.store, name, add(`Fact ${name} of the ledger`))
      learned.add(`Fact ${name} of the ledger`)
    }
    const isForgetting = round % 3 === 2
    if (isForgetting) for (const machine of [here, there, here]) await machine.sync({ git })
    const gone = isForgetting ? pick(await here.store.memories({ statuses: ["provisional", "active"] })) : undefined
    if (gone) {
      await here.store.forget([gone.id], { purge: round === 2, reason: "wrong", now: minute(60 + round) })
      forgotten.add(gone.text)
    }
    // The other machine does not know of that yet: it confirms the same memory, and pins another.
    const live = await there.store.memories({ statuses: ["provisional", "active"] })
    for (const each of live.filter(({ id }) => id === gone?.id)) {
      const confirmed = {
        result: "promote",
        tier: "long_term",
        status: "active",
        expires: undefined,
        flags: [],
      } as const
      const decision = { ...confirmed, flags: [], memory: each.id, version: each.version, reason: "it helped" }
      await there.store.applyDecisions("p-one", [decision], minute(90 + round))
    }
    const kept = pick(live)
    if (kept) {
      await there.store.setPinned(kept.id, true, minute(90 + round))
      pinned.add(kept.text)
    }
    const PATH = `${killingGit(1 + ((2 * round) % gitCalls), round % 4 < 2 ? "before" : "after")}:${process.env.PATH}`
    const child = startCli(["learn", "sync", "--git", git], { cwd: here.root, env: { ...here.env, PATH } })
    const signal = await new Promise((settle) => child.on("close", (_, by) => settle(by)))
    if (signal === "SIGKILL") killed++
  }
  expect(killed).toBeGreaterThan(8) // a round with less to do has fewer steps
  for (const machine of [...machines, ...machines]) await machine.sync({ git })
  expect(await stateOf(machines[0])).toEqual(await stateOf(machines[1]))
  for (const machine of machines) {
    expect(await textsOf(machine)).toEqual([...learned].filter((text) => !forgotten.has(text)).sort())
    const live = await machine.store.memories({ statuses: ["provisional", "active"] })
    expect(
      live
        .filter((each) => each.pinned)
        .map(({ text }) => text)
        .sort(),
    ).toEqual([...pinned].filter((text) => !forgotten.has(text)).sort())
  }
}, 120_000)
