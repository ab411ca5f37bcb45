// npm run soak -w bench [-- --minutes 30 --seed S --keep]: a home and a repository under load, with processes killed all the time; exit code 1 when anything is lost or a limit is broken.
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { checkEnd } from "./check-end.ts"
import { judgeSoak } from "./judge-soak.ts"
import { makeWords } from "./make-words.ts"
import { printSoak } from "./print-soak.ts"
import { startMcp, startServing, startWatching } from "./residents.ts"
import { runLoad } from "./run-load.ts"
import { openSoakLog } from "./soak-log.ts"
import { makeSoakPlace } from "./soak-place.ts"
import { makeWriters } from "./writers.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    keep: { type: "boolean", default: false },
  },
})
const place = makeSoakPlace(join(process.cwd(), "dist", "cli.cjs"))
console.log(`${values.minutes} minutes in ${place.folder}, seed ${values.seed}`)
const words = makeWords(Number(values.seed))
execFileSync("git", ["init", "--quiet"], { cwd: place.root })
const { code, stderr } = await place.run("init", ["init", "--json"])
if (code !== 0) throw new Error(`drey init ended with ${code}: ${stderr}`)
const { stdout } = await place.run("session", ["session", "start", "Soak", "--json"])
const { id: session } = JSON.parse(stdout) as { id: string }

const log = openSoakLog()
const mcp = startMcp(place, log)
const residents = [mcp, startWatching(place, log), startServing(place, log)]
const writers = makeWriters(place, words, mcp, session)
await runLoad({ place, log, words, writers, residents, until: Date.now() + Number(values.minutes) * 60_000 })
for (const resident of residents) await resident.stop()
const end = await checkEnd(place, log, session)
const busy = [...writers.map(({ name }) => name), "context", "search", "recent", "hook"]
const judgements = judgeSoak(log, Number(values.minutes), busy)
printSoak(log, end, judgements)
const isSound = end.wrong.length === 0 && judgements.every(({ verdict }) => verdict !== "broken")
if (isSound && !values.keep) rmSync(place.folder, { recursive: true, force: true })
else console.log(`Everything is kept in ${place.folder}`)
process.exitCode = isSound ? 0 : 1
