import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { type Resident, startServing, startWatching } from "./residents.ts"
import { openSoakLog, type SoakLog } from "./soak-log.ts"
import { makeSoakPlace, type SoakPlace } from "./soak-place.ts"

/** Starts a resident of a program that does this. */
function startOf(script: string, start: (place: SoakPlace, log: SoakLog) => Resident) {
  const folder = mkdtempSync(join(tmpdir(), "drey-resident-"))
  writeFileSync(join(folder, "program.cjs"), script)
  const place = makeSoakPlace(join(folder, "program.cjs"))
  const log = openSoakLog()
  const resident = start(place, log)
  onTestFinished(async () => {
    await resident.stop()
    for (const each of [folder, place.folder]) rmSync(each, { recursive: true, force: true })
  })
  return { place, log, resident }
}

const faultsOf = (log: SoakLog) => [...log.faults.keys()].join("\n")
const patience = { timeout: 30_000 }

test("a process that exits unexpectedly is recorded with its output, and restarted", async () => {
  const { log, resident } = startOf('console.error("out of files"); process.exitCode = 3', startWatching)
  await expect.poll(() => faultsOf(log), patience).toBe("watch ended by itself with 3: out of files")
  await expect.poll(() => resident.lives(), patience).toBeGreaterThan(1)
})

test("a killed process is restarted without counting as a fault, and so is a requested exit", async () => {
  const { place, log, resident } = startOf(
    `process.on("SIGTERM", () => process.exit(0))
     setInterval(() => {}, 1000)
     require("node:fs").writeFileSync("ready-" + process.pid, "")`,
    startWatching,
  )
  const isReady = () => [...place.live.keys()].some(({ pid }) => existsSync(join(place.root, `ready-${pid}`)))
  await expect.poll(isReady, patience).toBe(true)
  for (const child of [...place.live.keys()]) place.kill(child)
  await expect.poll(() => resident.lives(), patience).toBe(2)
  await expect.poll(isReady, patience).toBe(true)
  await resident.stop()
  expect(faultsOf(log)).toBe("")
})

test("an answer that reports a server error is recorded", async () => {
  const { log } = startOf(
    `const server = require("node:http").createServer((request, response) => {
       response.statusCode = request.url === "/api/overview" ? 503 : 200
       response.end("{}")
     })
     server.listen(0, "127.0.0.1", () => console.log('"url": "http://127.0.0.1:' + server.address().port + '/"'))`,
    startServing,
  )
  await expect.poll(() => faultsOf(log), patience).toBe("ui answered /api/overview with 503")
})
