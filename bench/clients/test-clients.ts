// Real coding agents against a scripted model: what Drey learned in one session has to be there in the next. Opt-in: it installs the agents
// from npm into a throw-away folder (DREY_CLIENTS names one to keep), then runs each with a home of its own and no network but loopback.
// With names as arguments only these are run, and no page is written.
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { claudeCode } from "./claude-code.ts"
import { codex } from "./codex.ts"
import { geminiCli } from "./gemini-cli.ts"
import { type Inspection, inspector, inspectServer } from "./inspect-server.ts"
import { installClients } from "./install-clients.ts"
import { judgeJourney } from "./judge-journey.ts"
import type { PlaceParts } from "./open-place.ts"
import type { RealClient } from "./real-client.ts"
import { runJourney } from "./run-journey.ts"
import { scriptedModelFolder } from "./scripted-model.ts"
import { type ClientResult, showClients, showInspection, writeTables } from "./show-table.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url)) // this runs as a bundle in node_modules/.cache/drey
const allClients = [claudeCode, codex, geminiCli]
/** Set for the run inside, which has no network. */
const insideMark = "DREY_TEST_CLIENTS_FOLDER"

const names = process.argv.slice(2)
const clients = allClients.filter(({ id }) => names.length === 0 || names.includes(id))
const modelFolder = scriptedModelFolder(root)
const inside = process.env[insideMark]
if (inside === undefined) process.exitCode = runWithoutNetwork(installAll())
else await testAll(inside)

function installAll(): string {
  const folder = process.env.DREY_CLIENTS ?? mkdtempSync(join(tmpdir(), "drey-clients-"))
  installClients(folder, [...clients, inspector])
  return folder
}

/** Starts this program again, where only loopback is available; on a system that cannot do that, with the network as it is. */
function runWithoutNetwork(folder: string): number {
  const cutOff = ["sh", join(modelFolder, "loopback-only.sh")]
  const [cutter = "", ...cutterArgs] = cutOff
  const canCutOff = process.platform === "linux" && spawnSync(cutter, [...cutterArgs, "true"]).status === 0
  if (!canCutOff) console.log("The network cannot be taken away here; the clients are only told not to use it.")
  const [program = "", ...args] = [...(canCutOff ? cutOff : []), process.execPath, ...process.argv.slice(1)]
  const env = { ...process.env, [insideMark]: folder }
  const { status } = spawnSync(program, args, { stdio: "inherit", env })
  if (process.env.DREY_CLIENTS === undefined) rmSync(folder, { recursive: true, force: true })
  return status ?? 1
}

async function testAll(folder: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), "drey-test-clients-"))
  const parts = { cli: copyPackage(join(work, "drey")), programs: join(folder, "node_modules", ".bin"), modelFolder }
  const results: ClientResult[] = []
  for (const client of clients) results.push(await testClient(client, { ...parts, work: join(work, client.id) }))
  console.log(`\n${showClients(results)}\n`)
  const inspection = await inspectServer({ ...parts, work: join(work, "inspector") })
  console.log(`${showInspection(inspection)}\n`)

  for (const { client, trouble } of results) if (trouble !== undefined) console.log(`${client.name}: ${trouble}`)
  const isWell = isAllMet(results, inspection)
  if (isWell && names.length === 0)
    writeTables(join(root, "docs", "clients.md"), `${showClients(results)}\n\n${showInspection(inspection)}`)
  if (isWell) rmSync(work, { recursive: true, force: true })
  else console.log(`What was sent and printed is in ${work}`)
  process.exitCode = isWell ? 0 : 1
}

/** The package as it would be installed: what is built meanwhile does not change it. */
function copyPackage(folder: string): string {
  for (const name of ["package.json", "assets", "dist", "templates"])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return join(folder, "dist", "cli.cjs")
}

async function testClient(client: RealClient, parts: PlaceParts): Promise<ClientResult> {
  console.log(`${client.name} ${client.version}…`)
  try {
    const journey = await runJourney(client, parts)
    const seconds = journey.first.seconds + journey.second.seconds
    return { client, seconds, checks: judgeJourney(journey, client) }
  } catch (error) {
    // The others are tried anyway; this one passes no check.
    return { client, seconds: 0, checks: [], trouble: error instanceof Error ? error.message : String(error) }
  }
}

function isAllMet(results: readonly ClientResult[], { schemaBytes, calls }: Inspection): boolean {
  const isMet = results.every(({ checks }) => checks.length > 0 && checks.every((check) => check.isMet))
  return isMet && schemaBytes < 8192 && calls.every(({ isAnswered }) => isAnswered)
}
