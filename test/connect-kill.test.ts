import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Connections, openConnections } from "../src/clients/connect/connections.ts"
import { crashPoints } from "./crash-points.ts"
import { makeRepository, readTree } from "./run-cli.ts"
import { bundleChild, startChild } from "./start-child.ts"

let folder = ""
let script = ""

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "drey-kill-"))
  symlinkSync(join(import.meta.dirname, "../templates"), join(folder, "templates")) // the skills come from there
  script = await bundleChild(
    folder,
    `import { onFileOperation } from "./atomic-write.ts"
     import { openConnections } from "../clients/connect/connections.ts"
     const [root, home, deed, at] = process.argv.slice(2)
     const machine = { home, environment: { DREY_COMMAND: "drey" }, platform: process.platform }
     const place = { machine, home: home + "/.drey", root, teamFolder: root + "/.squad", rules: async (lead) => lead }
     const connections = openConnections(place, { node: "node", script: "drey", version: "1.0.0" })
     const plan = deed === "connect"
       ? await connections.planConnect({ clients: ["claude-code"], contextFiles: { budget: 500 } })
       : connections.planDisconnect({})
     let operation = 0
     onFileOperation(() => {
       if (++operation === Number(at)) process.kill(process.pid, "SIGKILL")
     })
     await connections[deed](plan)
     console.log(operation)`,
  )
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test("connect that is killed anywhere can be completed, and undone to the byte", async () => {
  const place = makePlace()
  const reset = snapshotOf(place)
  const before = filesOf(place)
  const child = startChild(script, place.root, place.home, "connect", "0")
  const operations = Number(await child.nextLine())
  expect(await child.ended, child.errors()).toBe(0)
  expect(operations).toBeGreaterThan(20)
  const after = filesOf(place)
  for (const at of crashPoints("connect", operations, 5)) {
    reset()
    expect(await startChild(script, place.root, place.home, "connect", String(at)).ended).toBe("SIGKILL")
    const backToKill = snapshotOf(place)
    await disconnect(place)
    expect(filesOf(place), `killed before operation ${at}`).toEqual(before)
    backToKill()
    await connect(place)
    expect(filesOf(place), `killed before operation ${at}`).toEqual(after)
    await disconnect(place)
    expect(filesOf(place), `killed before operation ${at}`).toEqual(before)
  }
})

test("disconnect that is killed anywhere is completed by the next", async () => {
  const place = makePlace()
  const before = filesOf(place)
  await connect(place)
  const reset = snapshotOf(place)
  const child = startChild(script, place.root, place.home, "disconnect", "0")
  const operations = Number(await child.nextLine())
  expect(await child.ended, child.errors()).toBe(0)
  expect(filesOf(place)).toEqual(before)
  for (const at of crashPoints("disconnect", operations, 5)) {
    reset()
    expect(await startChild(script, place.root, place.home, "disconnect", String(at)).ended).toBe("SIGKILL")
    await disconnect(place)
    expect(filesOf(place), `killed before operation ${at}`).toEqual(before)
  }
})

type Place = { root: string; home: string }

function makePlace(): Place {
  const files = {
    ".squad/decisions.md": "# Decisions\n",
    ".mcp.json": '{ "mcpServers": { "files": { "command": "npx" } } }',
    ".claude/settings.json": '{\r\n\t"hooks": { }\r\n}\r\n',
    "AGENTS.md": "",
    "CLAUDE.md": "# Claude",
  }
  return { root: makeRepository(files), home: makeRepository({}) }
}

/** Returns what brings both folders back to how they are now, at the same paths: a record names its file by path. */
function snapshotOf(place: Place): () => void {
  const folders = Object.values(place).map((path) => ({ path, copy: makeRepository({}) }))
  for (const { path, copy } of folders) cpSync(path, copy, { recursive: true })
  return () => {
    for (const { path, copy } of folders) {
      rmSync(path, { recursive: true })
      cpSync(copy, path, { recursive: true })
    }
  }
}

function connectionsOf({ root, home }: Place): Connections {
  const machine = { home, environment: { DREY_COMMAND: "drey" }, platform: process.platform }
  const teamFolder = join(root, ".squad")
  const place = { machine, home: join(home, ".drey"), root, teamFolder, rules: async (lead: string) => lead }
  return openConnections(place, { node: "node", script: "drey", version: "1.0.0" })
}

async function connect(place: Place): Promise<void> {
  const connections = connectionsOf(place)
  const plan = await connections.planConnect({ clients: ["claude-code"], contextFiles: { budget: 500 } })
  expect(await connections.connect(plan)).not.toContainEqual(expect.objectContaining({ problem: expect.anything() }))
}

async function disconnect(place: Place): Promise<void> {
  const connections = connectionsOf(place)
  await connections.disconnect(connections.planDisconnect({}))
}

/** A killed process may leave the file it was about to rename, and the folder it is in; every reader passes it over. */
function filesOf({ root }: Place): Record<string, string> {
  const isFile = ([path, text]: [string, string]) => !path.endsWith(".tmp") && text !== "a folder"
  return Object.fromEntries(Object.entries(readTree(root)).filter(isFile))
}
