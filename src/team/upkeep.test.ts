import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { semEntry } from "../../test/legacy-fixtures.ts"
import { makeRepository, readTree, writeFiles } from "../../test/run-cli.ts"
import { trustForTest } from "../../test/trust-for-test.ts"
import { openDrey } from "../drey.ts"

const tabs = semEntry("2026-01-10T09:00:00+0000", "decision", "Use tabs", { author: "wren" })
const note = semEntry("2026-02-03T09:00:00+0000", "note", "Builds run on the farm", { author: "rook" })
const rule = semEntry("2026-02-04T09:00:00+0000", "directive", "Never push to main", { author: "rook" })
const lesson = (day: number) =>
  semEntry(`2026-01-${String(day).padStart(2, "0")}T09:00:00+0000`, "note", `Lesson ${day}`, {
    author: "rook",
    details: `The ledger of day ${day} is printed by the night job. `.repeat(18),
  })
const history = `# Rook\n\n## Learnings\n\n${Array.from({ length: 20 }, (_, at) => lesson(at + 1)).join("\n")}`
const inbox = ".squad/decisions/inbox"
const files = {
  ".squad/decisions.md": `# Squad Decisions\n\n${tabs}`,
  ".squad/agents/rook/history.md": history,
  [`${inbox}/rook-farm.md`]: note,
  [`${inbox}/rook-copy.md`]: tabs,
  [`${inbox}/rook-rule.md`]: rule,
}

function open({ trusted = true, config = {} }: { trusted?: boolean; config?: object } = {}) {
  const root = makeRepository(files)
  const home = join(makeRepository({}), "home")
  if (trusted) trustForTest(home, root)
  writeFiles(home, { "config.json": JSON.stringify(config) })
  const environment = { DREY_HOME: home, DREY_USER: "ines" }
  const drey = openDrey({ root, environment, automatic: true, now: () => new Date("2026-03-01T10:00:00Z") })
  const read = (path: string) => readFileSync(join(root, path), "utf8")
  const team = () =>
    Object.fromEntries(Object.entries(readTree(root)).filter(([path]) => /^\.squad\/.*\.md$/.test(path)))
  return { root, drey, read, team }
}

test("notes and copies are merged and histories condensed in one change; rules wait, and are shown once", async () => {
  const { root, drey, read, team } = open()
  const before = team()
  expect(await drey.team.upkeep.run()).toMatchObject({ kind: "done", waiting: [`${inbox}/rook-rule.md`] })
  expect(read(".squad/decisions.md")).toContain("Builds run on the farm")
  expect(read(".squad/decisions.md")).not.toContain("Never push to main")
  expect(existsSync(join(root, inbox, "rook-copy.md"))).toBe(false)
  expect(read(".squad/agents/rook/history.md").length).toBeLessThan(12_288)
  expect(read(".squad/agents/rook/history-archive.md")).toContain("Lesson 1")
  expect(await drey.team.upkeep.unshown()).toBe(1)
  expect(await drey.team.upkeep.unshown()).toBe(0)
  const { recent } = await drey.search.recent({ forMs: 86_400_000 })
  expect(recent?.upkeep.map(({ text }) => text)).toEqual(["merged 2 inbox files and condensed 1 history"])
  await drey.team.changes.undo()
  expect(team()).toEqual(before)
  await drey.close()
})

test("a second round changes nothing, and what the user undid is not done again", async () => {
  const { root, drey, team } = open()
  await drey.team.upkeep.run()
  expect(await drey.team.upkeep.run()).toMatchObject({ kind: "nothing" })
  await drey.team.changes.undo()
  const before = team()
  expect(await drey.team.upkeep.run()).toMatchObject({ kind: "nothing" })
  expect(team()).toEqual(before)
  writeFiles(root, { [`${inbox}/rook-late.md`]: note.replace("Builds run on the farm", "The farm has ten machines") })
  expect(await drey.team.upkeep.run()).toMatchObject({ kind: "done" })
  expect(existsSync(join(root, inbox, "rook-farm.md"))).toBe(true)
  await drey.close()
})

test.each([
  ["MERGE_HEAD", "a merge"],
  ["rebase-merge/done", "a rebase"],
  ["rebase-apply/next", "a rebase"],
  ["CHERRY_PICK_HEAD", "a cherry-pick"],
  ["REVERT_HEAD", "a revert"],
  ["BISECT_LOG", "a bisect"],
  ["index.lock", "a command"],
])("nothing is changed while git has .git/%s", async (name, operation) => {
  const { root, drey, team } = open()
  execFileSync("git", ["init", "-q"], { cwd: root })
  writeFiles(root, { [`.git/${name}`]: "" })
  const before = team()
  expect(await drey.team.upkeep.run()).toEqual({ kind: "skipped", why: `git has ${operation} in progress` })
  expect(team()).toEqual(before)
  rmSync(join(root, ".git", name.split("/")[0] ?? ""), { recursive: true })
  expect(await drey.team.upkeep.run()).toMatchObject({ kind: "done" })
  await drey.close()
})

test.each([
  ["the repository is not trusted", { trusted: false }],
  ["upkeep.auto is false", { config: { upkeep: { auto: false } } }],
])("nothing is changed where %s", async (why, place) => {
  const { drey, team } = open(place)
  const before = team()
  expect(await drey.team.upkeep.run()).toEqual({ kind: "skipped", why })
  expect(team()).toEqual(before)
  await drey.close()
})
