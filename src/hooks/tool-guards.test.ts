import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { trustForTest } from "../../test/trust-for-test.ts"
import { guardsPath } from "../recall/guards/guard-match.ts"
import { findGuards, locateTeam } from "./tool-guards.ts"

const call = (path: string) => ({ tool: "Edit", command: undefined, paths: [path], text: undefined })

test("the team is that of the nearest folder upwards, if there is one", () => {
  const { root, home } = makePlace()
  mkdirSync(join(root, "src/deep"), { recursive: true })
  expect(locateTeam(join(root, "src/deep"), home)).toMatchObject({ root, folder: join(root, ".squad") })
  expect(locateTeam(tmpdir(), home)).toBeUndefined()
})

test("paths are relative to the root of the repository, and absolute outside of it", () => {
  const { root, home, team } = makePlace()
  const paths = (path: string) => findGuards(call(path), join(root, "src"), team, home).call.paths
  expect(paths("a.ts")).toEqual(["src/a.ts"])
  expect(paths(join(root, "README.md"))).toEqual(["README.md"])
  expect(paths("/etc/hosts")).toEqual(["/etc/hosts"])
})

test("compiled guards of a checkout are found by any path to it", () => {
  const { root, home, team, folder } = makePlace()
  const path = guardsPath(home, realpathSync(team.folder))
  mkdirSync(dirname(path), { recursive: true })
  const triggers = { commands: [], paths: ["dist"], names: [], packages: [] }
  const guard = { id: "g-1", source: "team", ask: false, text: "Never edit dist.", triggers }
  writeFileSync(path, JSON.stringify({ format: 1, stamp: "", guards: [guard] }))
  symlinkSync(root, join(folder, "link"))
  trustForTest(home, root)
  const linked = locateTeam(join(folder, "link"), home) ?? team
  for (const place of [team, linked]) {
    const found = findGuards(call("dist/cli.js"), place.root, place, home)
    expect(found.guards.map(({ id }) => id)).toEqual(["g-1"])
    expect(findGuards(call("src/cli.ts"), place.root, place, home).guards).toEqual([])
  }
  writeFileSync(path, JSON.stringify({ format: 2, guards: "?" }))
  expect(findGuards(call("dist/cli.js"), root, team, home).guards).toEqual([])
})

function makePlace() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "drey-guards-")))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const root = join(folder, "repository")
  mkdirSync(join(root, ".squad"), { recursive: true })
  const home = join(folder, "home")
  const squad = { name: ".squad", path: join(root, ".squad"), home } as const
  return { folder, root, home, team: { root, home, folders: [squad], folder: squad.path } }
}
