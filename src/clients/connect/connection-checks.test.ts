import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import type { WiringScope } from "../client-wiring.ts"
import { applyConnect } from "./connect-files.ts"
import { type ConnectParts, planConnect } from "./connect-plan.ts"
import { checkClients } from "./connection-checks.ts"

test.each([
  ["cursor", "user"],
  ["windsurf", "user"],
  ["windsurf", "project"],
  ["cline", "project"],
] as const)("%s, connected by paths for %s, is whole and connected once", async (client, scope) => {
  const { parts, connect } = makePlace()
  await connect(client, scope)
  expect(checkClients(parts)).toEqual([
    expect.objectContaining({ status: "pass", message: expect.stringContaining("connected by") }),
  ])
})

test("a client that is connected in both scopes is reported", async () => {
  const { parts, connect } = makePlace()
  await connect("windsurf", "user")
  await connect("windsurf", "project")
  expect(checkClients(parts).map(({ status }) => status)).toEqual(["pass", "pass", "warn"])
})

/** A machine on which Drey is started by its path. */
function makePlace() {
  const folder = mkdtempSync(join(tmpdir(), "drey-check-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [root, home, dreyHome] = ["repository", "home", "drey"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [root, home]) mkdirSync(path)
  const parts: ConnectParts = {
    machine: { home, environment: {}, platform: "linux" },
    home: dreyHome,
    root,
    teamFolder: undefined,
    command: { command: process.execPath, args: [import.meta.filename], isPortable: false },
    version: "1.0.0",
    rules: async () => "",
  }
  const connect = async (client: string, scope: WiringScope) =>
    applyConnect(dreyHome, await planConnect(parts, { clients: [client], scope }))
  return { parts, connect }
}
