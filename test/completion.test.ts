import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { cliPath, environmentOf, makeRepository, runCli, writeFiles } from "./run-cli.ts"

const files = {
  ".squad/decisions.md": "# Squad Decisions\n",
  ".squad/agents/kane/history.md": "# Kane\n",
  ".squad/agents/ripley/history.md": "# Ripley\n",
  ".squad/sessions/20260123-103000-abc1def2-auth-feature/metadata.yaml": "",
  "notes/today.md": "",
}

/** A repository, and an environment in which `drey` is the built one. */
function makePlace(): { cwd: string; env: Record<string, string> } {
  const cwd = makeRepository(files)
  const programs = makeRepository({ drey: `#!/bin/sh\nexec '${process.execPath}' '${cliPath}' "$@"\n` })
  chmodSync(join(programs, "drey"), 0o755)
  return { cwd, env: environmentOf({ PATH: `${programs}:${process.env.PATH}` }) }
}

/** What bash offers at a Tab behind these words. */
function pressTab(place: ReturnType<typeof makePlace>, ...words: string[]): string[] {
  const script = `source <(drey completion bash)
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
$(complete -p drey | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
printf '%s\\n' "\${COMPREPLY[@]}"`
  const output = execFileSync("bash", ["--norc", "-c", script, "bash", "drey", ...words], {
    ...place,
    encoding: "utf8",
  })
  return output.split("\n").filter(Boolean)
}

test("bash completes commands, options, values, names and files", () => {
  const place = makePlace()
  expect(pressTab(place, "val")).toEqual(["validate"])
  expect(pressTab(place, "validate", "--st")).toEqual(["--staged", "--strict"])
  expect(pressTab(place, "validate", "--format", "=", "g")).toEqual(["github"])
  expect(pressTab(place, "context", "--agent", "")).toEqual(["kane", "ripley"])
  expect(pressTab(place, "session", "end", "2026")).toEqual(["20260123-103000-abc1def2-auth-feature"])
  expect(pressTab(place, "validate", "notes/t")).toEqual(["notes/today.md"])
  expect(pressTab(place, "no-such-command", "")).toEqual([])
})

test("outside a repository a Tab says nothing", async () => {
  const cwd = makeRepository({})
  expect(await runCli(["completion", "bash", "--", "why", ""], { cwd })).toEqual({ code: 0, stdout: "", stderr: "" })
})

test("ids of entries are completed, with their titles where the shell shows them", async () => {
  const { cwd } = makePlace()
  writeFiles(cwd, {
    ".squad/decisions.md": `### 2026-02-15T14:32:15+0000: decision: Use lanterns

**type:** decision
**timestamp:** 2026-02-15T14:32:15+0000
**author:** Kane

**summary:** Use lanterns.
`,
  })
  const { stdout } = await runCli(["completion", "fish", "--", "why", "sem-"], { cwd })
  expect(stdout).toMatch(/^sem-[0-9a-f]{12}\tUse lanterns\n$/)
  const [id = ""] = stdout.split("\t")
  const mistyped = `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`
  expect(await runCli(["why", mistyped], { cwd })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Did you mean ${id}?`),
  })
})

for (const shell of ["bash", "zsh", "fish"]) {
  const isInstalled = spawnSync(shell, ["--version"]).status === 0
  test.runIf(isInstalled)(`the script for ${shell} is one that ${shell} can read`, async () => {
    const { stdout } = await runCli(["completion", shell], { cwd: makeRepository({}) })
    const flags = shell === "fish" ? ["--no-execute"] : ["-n"]
    expect(spawnSync(shell, flags, { input: stdout }).status).toBe(0)
  })
}
