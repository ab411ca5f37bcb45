import { execFileSync, spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { cliPath, environmentOf, makeRepository } from "./run-cli.ts"

/** `script` gives a command a terminal of its own; its form is util-linux's. */
const hasTerminal = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true

const long = Array.from(
  { length: 30 },
  (_, at) => `### 2026-02-15T14:32:${String(at + 10)}+0000: decision: Rule ${at + 1} of the hall

**type:** decision
**timestamp:** 2026-02-15T14:32:${String(at + 10)}+0000
**author:** Kane

**summary:** Rule ${at + 1} of the hall.

---
`,
).join("\n")

/** What a user sees on a terminal of some lines. */
function onTerminal(args: string[], env: Record<string, string> = {}, rows = 10): string {
  const cwd = makeRepository({ ".squad/decisions.md": long })
  const line = `stty rows ${rows} columns 200; '${process.execPath}' '${cliPath}' ${args.join(" ")}`
  return execFileSync("script", ["-qec", line, "/dev/null"], {
    cwd,
    env: { TERM: "xterm", SHELL: "/bin/sh", ...environmentOf(env) },
    encoding: "utf8",
  })
}

const mark = "sed 's/^/paged /'"

test.runIf(hasTerminal)("output that is longer than the terminal goes through the pager, in colour", () => {
  const shown = onTerminal(["memory"], { DREY_PAGER: mark })
  expect(shown).toContain("paged ")
  expect(shown).toContain("\u001b[")
  const help = onTerminal(["validate", "--help", "--no-color"], { PAGER: mark })
  expect(help).toMatch(/^paged Usage: drey/)
  expect(
    help
      .trimEnd()
      .split("\n")
      .filter((line) => !line.startsWith("paged ")),
  ).toEqual([])
})

test.runIf(hasTerminal)("nothing is paged that fits, is JSON, or is not to be", () => {
  expect(onTerminal(["memory"], { DREY_PAGER: mark }, 200)).not.toContain("paged")
  expect(onTerminal(["memory", "--json"], { DREY_PAGER: mark })).not.toContain("paged")
  expect(onTerminal(["memory", "--no-pager"], { DREY_PAGER: mark })).not.toContain("paged")
  expect(onTerminal(["memory"], { DREY_PAGER: "" })).toContain("Rule 30 of the hall")
})

test.runIf(hasTerminal)("without the pager that was named, the answer is still shown", () => {
  expect(onTerminal(["memory"], { DREY_PAGER: "no-such-pager" })).toContain("Rule 30 of the hall")
})

test.runIf(hasTerminal)("--no-color and NO_COLOR hold on a terminal", () => {
  expect(onTerminal(["memory", "--no-color", "--no-pager"])).not.toContain("\u001b[")
  expect(onTerminal(["memory", "--no-pager"], { NO_COLOR: "1" })).not.toContain("\u001b[")
})

test("without a terminal nothing is paged, and FORCE_COLOR colours", () => {
  const run = (env: Record<string, string>) =>
    execFileSync(process.execPath, [cliPath, "memory"], {
      cwd: makeRepository({ ".squad/decisions.md": long }),
      env: environmentOf(env),
      encoding: "utf8",
    })
  expect(run({ DREY_PAGER: mark })).not.toMatch(/paged|\u001b\[/)
  expect(run({ FORCE_COLOR: "1" })).toContain("\u001b[")
})
