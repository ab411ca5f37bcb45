import { execFileSync, spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { dreyOnPath } from "./drey-on-path.ts"
import { environmentOf, makeRepository, runCli, writeFiles } from "./run-cli.ts"

const files = {
  ".squad/decisions.md": "# Squad Decisions\n",
  ".squad/agents/kane/history.md": "# Kane\n",
  ".squad/agents/ripley/history.md": "# Ripley\n",
  ".squad/sessions/20260123-103000-abc1def2-auth-feature/metadata.yaml": "",
  "notes/today.md": "",
}

/** A repository, and an environment in which `drey` is the built one. */
function makePlace(): { cwd: string; env: Record<string, string> } {
  return { cwd: makeRepository(files), env: environmentOf({ PATH: dreyOnPath() }) }
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

test("outside a repository a Tab prints nothing", async () => {
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

const isInstalled = (shell: string) => spawnSync(shell, ["--version"]).status === 0

test.skipIf(!isInstalled("fish"))("fish completes commands, options, values and names (needs fish)", () => {
  const place = makePlace()
  const script = 'drey completion fish | source; for line in $argv; complete --do-complete "$line"; end'
  const lines = ["drey val", "drey validate --st", "drey validate --format g", "drey context --agent k"]
  const { status, stdout, stderr } = spawnSync("fish", ["--no-config", "-c", script, ...lines], {
    ...place,
    encoding: "utf8",
  })
  expect([status, stderr]).toEqual([0, ""])
  const offered = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[0])
  expect(offered).toEqual(["validate", "--staged", "--strict", "github", "kane"])
})

test.skipIf(!isInstalled("zsh"))("zsh completes commands, options and names from its fpath (needs zsh)", async () => {
  const place = makePlace()
  const { stdout: script } = await runCli(["completion", "zsh"], { cwd: place.cwd })
  // A terminal with typed input; each read waits for the result of the Tab before it.
  const session = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit -u -D; print rea""dy'
zpty -r shell seen '*ready*'
zpty -w -n shell $'drey vali\\t'
zpty -r shell seen '*drey validate*'
zpty -w -n shell $'--stag\\t'
zpty -r shell seen '*--staged*'
zpty -w -n shell $'\\C-udrey context --agent k\\t'
zpty -r shell seen '*--agent kane*'
zpty -d shell
`
  writeFiles(place.env.HOME ?? "", { ".zfunc/_drey": script, "session.zsh": session })
  const { status, stderr } = spawnSync("zsh", ["-f", `${place.env.HOME}/session.zsh`], {
    ...place,
    encoding: "utf8",
    timeout: 50_000,
  })
  expect([status, stderr]).toEqual([0, ""])
})

test("the script for bash is one that bash can read", async () => {
  const { stdout } = await runCli(["completion", "bash"], { cwd: makeRepository({}) })
  expect(spawnSync("bash", ["-n"], { input: stdout }).status).toBe(0)
})
