import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { runInTurns } from "./hook/run-in-turns.ts"
import { printColumns } from "./recall/print-table.ts"
import { writeRepository } from "./recall-speed/made-repository.ts"
import { percentile } from "./recall-speed/timing.ts"

/**
 * What a user waits for at the keyboard, each a process from its start to its end, beside `node -e 0` in turns:
 * `npm run bench -- --only cli [-- --runs 20]`.
 */
const runs = Number(process.argv[process.argv.indexOf("--runs") + 1] || 15) || 15
const folder = mkdtempSync(join(tmpdir(), "drey-bench-cli-"))
const cli = resolve("dist", "cli.cjs")
const home = join(folder, "home")
const env = { PATH: process.env.PATH ?? "", HOME: home, DREY_HOME: home, DREY_USER: "ines" }

try {
  mkdirSync(home)
  const small = makePlace("small", 10)
  const middle = makePlace("middle", 1000)
  const large = makePlace("large", 10_000)
  let sentence = 0
  const drey = ({ cwd }: Place, ...args: string[]) => ({ args: [cli, ...args, "--root", cwd], prints: /./ })
  const bare = (...args: string[]) => ({ args: [cli, ...args], prints: /./ })
  const remember = (place: Place) => drey(place, "remember", `Rule ${sentence++} of the bench: keep it fast`)
  const times = await runInTurns(
    {
      nothing: () => ({ args: ["-e", "0"] }),
      version: () => bare("--version"),
      help: () => bare("--help"),
      tab: () => bare("completion", "bash", "--", "rem"),
      check: () => drey(middle, "check"),
      small: () => remember(small),
      large: () => remember(large),
    },
    { runs, cwd: small.cwd, env },
  )
  const median = (name: string) => percentile(times.get(name) ?? [], 0.5)
  const row = (what: string, name: string, beside: string, goal: number) => [
    what,
    `${median(name).toFixed(0)} ms`,
    (median(name) / median(beside)).toFixed(2),
    `at most ${goal}`,
  ]
  printColumns([
    ["command", "median", "ratio", "goal"],
    ["`node -e 0`", `${median("nothing").toFixed(0)} ms`, "1.00", ""],
    row("`drey --version`", "version", "nothing", 1.3),
    row("`drey --help`", "help", "nothing", 1.3),
    row("Tab: `drey rem`", "tab", "nothing", 1.3),
    row("`drey check`, 1,000 entries", "check", "nothing", 4),
    ["`drey remember`, 10 entries", `${median("small").toFixed(0)} ms`, "1.00", ""],
    row("`drey remember`, 10,000 entries, beside 10", "large", "small", 2),
  ])
} finally {
  rmSync(folder, { recursive: true, force: true })
}

type Place = { cwd: string }

/** A trusted repository with this many entries and a current index. */
function makePlace(name: string, entries: number): Place {
  const cwd = join(folder, name)
  mkdirSync(cwd)
  writeRepository(cwd, entries)
  for (const args of [["init"], ["reindex"], ["check"]]) {
    try {
      execFileSync(process.execPath, [cli, ...args], { cwd, env, stdio: "ignore" })
    } catch {
      // `check` ends with 1 where it finds something: what counts here is that it has run
    }
  }
  return { cwd }
}
