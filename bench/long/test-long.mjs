// The whole suite with the counts that take hours: npm run test:long.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const counts = {
  DREY_PROPERTY_RUNS: "200000",
  DREY_KILLS: "200",
  DREY_MERGE_PAIRS: "200",
  DREY_APPENDS: "50",
  DREY_CRASH_POINTS: "all",
  DREY_TEAM_ENTRIES: "200000",
  DREY_STRACE: "1",
}
const root = fileURLToPath(new URL("../..", import.meta.url))
const args = ["node_modules/vitest/vitest.mjs", "run", "--testTimeout=1800000", ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, {
  cwd: root,
  stdio: "inherit",
  env: { ...counts, ...process.env },
})
process.exitCode = status ?? 1
