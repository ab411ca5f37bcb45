import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository, readTree, writeFiles } from "../../../test/run-cli.ts"
import { allWirings } from "../all-clients.ts"
import { openConnections } from "./connections.ts"

const clients = allWirings.map(({ id }) => id)

function makePlace() {
  const top = makeRepository({ "user/.bashrc": "alias ll='ls -l'\n", "user/.secret": "{}\n" })
  const [home, root] = [join(top, "home"), join(top, "clone")]
  writeFiles(root, { ".squad/decisions.md": "# Decisions\n", ".git/config": "" })
  const machine = { home, environment: { DREY_COMMAND: "drey" }, platform: process.platform }
  const place = { machine, home: join(top, "drey"), root, teamFolder: join(root, ".squad") }
  const parts = { ...place, rules: async (lead: string) => lead }
  return { top, root, connections: openConnections(parts, { node: "node", script: "drey", version: "1.0.0" }) }
}

type Place = ReturnType<typeof makePlace>

function outsideOf({ top }: Place): Record<string, string> {
  return Object.fromEntries(Object.entries(readTree(top)).filter(([path]) => /^(?:user|clone\/\.git)\//.test(path)))
}

async function connect({ connections }: Place) {
  const plan = await connections.planConnect({
    clients,
    scope: "project",
    contextFiles: { budget: 500 },
    opencodePlugin: true,
  })
  return { plan, results: await connections.connect(plan) }
}

/** Every file that connecting writes into a repository; the folders that these are in; the folders at the top of it. */
async function placesByDepth(): Promise<string[][]> {
  const place = makePlace()
  const { plan } = await connect(place)
  const below = plan.files.map(({ path }) => path).filter((path) => path.startsWith(join(place.root, "/")))
  const files = below.map((path) => path.slice(place.root.length + 1)).filter((path) => !path.startsWith(".squad"))
  const inFolders = files.filter((path) => path.includes("/"))
  return [files, inFolders.map(dirname), inFolders.map((path) => path.split("/")[0] ?? "")].map((each) => [
    ...new Set(each),
  ])
}

test("no link in a clone makes connect write outside of it, or into the .git folder", async () => {
  const depths = await placesByDepth()
  expect(depths.flat().length).toBeGreaterThan(20)
  for (const names of depths) {
    for (const target of ["user", "user/.secret", "user/new", "clone/.git"]) {
      const place = makePlace()
      for (const name of names.filter((each) => !names.some((other) => each.startsWith(`${other}/`)))) {
        const at = join(place.root, name)
        mkdirSync(dirname(at), { recursive: true })
        symlinkSync(join(place.top, target), at)
      }
      const before = outsideOf(place)
      const { plan } = await connect(place)
      expect([target, outsideOf(place)]).toEqual([target, before])
      expect(plan.files.filter(({ change }) => change === "left").length).toBeGreaterThan(5)
    }
  }
})

test("a file that became a link out of the clone is neither restored nor removed through it", async () => {
  const place = makePlace()
  await connect(place)
  const at = join(place.root, "AGENTS.md")
  writeFiles(place.top, { "user/theirs.md": readFileSync(at, "utf8") })
  rmSync(at)
  symlinkSync("../user/theirs.md", at)
  const before = outsideOf(place)
  const { connections } = place
  const plan = connections.planDisconnect({})
  expect(plan.files.find(({ path }) => path === at)).toMatchObject({
    change: "left",
    note: expect.stringContaining("leads out of the repository"),
  })
  await connections.disconnect(plan)
  expect(outsideOf(place)).toEqual(before)
})

test("a link to another file of the clone is followed and kept", async () => {
  const place = makePlace()
  writeFiles(place.root, { "docs/agents.md": "# Agents\n" })
  symlinkSync("docs/agents.md", join(place.root, "AGENTS.md"))
  await connect(place)
  expect(readFileSync(join(place.root, "docs/agents.md"), "utf8")).toContain("Kept by Drey")
  const { connections } = place
  await connections.disconnect(connections.planDisconnect({}))
  expect(readFileSync(join(place.root, "AGENTS.md"), "utf8")).toBe("# Agents\n")
})
