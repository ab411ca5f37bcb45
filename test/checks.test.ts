import { execFileSync, spawn, spawnSync } from "node:child_process"
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { takeBlocks } from "./doc-blocks.ts"
import { serveOwnRegistry } from "./own-registry.ts"
import { cliPath, environmentOf, makeRepository, readTree, runCli, runGit, writeFiles } from "./run-cli.ts"

const root = resolve(import.meta.dirname, "..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

type Step = { run?: string; shell?: string; env?: Record<string, string>; uses?: string }
const action: {
  inputs: Record<string, { description: string; default: string }>
  outputs: Record<string, { value: string }>
  runs: { using: string; steps: Step[] }
} = parse(read("action.yml"))

const sound = `### 2026-02-15T14:32:15+0000: decision: Use lanterns

**type:** decision
**timestamp:** 2026-02-15T14:32:15+0000
**author:** Kane

**summary:** Use lanterns.
**rationale:** They are seen from afar.
`
const broken = sound.replace("**type:** decision", "**type:** wish")

/** Runs the step of the action as a runner does: each input in its variable, the script in bash. */
async function runAction(cwd: string, inputs: Record<string, string> = {}, environment: Record<string, string> = {}) {
  const files = { output: join(makeRepository({ o: "" }), "o"), summary: join(makeRepository({ s: "" }), "s") }
  const given = { command: `${process.execPath} ${cliPath}`, ...inputs }
  const fill = (text: string) =>
    text
      .replace(/\$\{\{ github\.action_path \}\}/, root)
      .replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => {
        expect(Object.keys(action.inputs)).toContain(name)
        return given[name as keyof typeof given] ?? action.inputs[name]?.default ?? ""
      })
  const [{ run = "", env = {} } = {}, ...others] = action.runs.steps
  expect(others).toEqual([])
  expect(run).not.toContain("${{") // what an input says would be run
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]))
  const places = { GITHUB_OUTPUT: files.output, GITHUB_STEP_SUMMARY: files.summary }
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
    cwd,
    env: { ...environmentOf(environment), ...places, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve)),
  ])
  return {
    status,
    stdout,
    stderr,
    output: readFileSync(files.output, "utf8"),
    summary: readFileSync(files.summary, "utf8"),
  }
}

test("the action shows what is wrong at its line, counts it and fails", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": broken })
  const { status, stdout, output, summary } = await runAction(cwd)
  expect(status).toBe(1)
  expect(stdout).toMatch(/^::error file=\.squad\/decisions\.md,line=\d+,title=[\w-]+::/m)
  expect(output).toMatch(/^errors=[1-9]\d*\nwarnings=\d+\n$/)
  expect(summary).toMatch(/^Team memory: [1-9]\d* errors, \d+ warnings\n$/)
})

test("the action passes on a valid store and reports no findings", async () => {
  const { status, stdout, stderr, output } = await runAction(makeRepository({ ".squad/decisions.md": sound }))
  expect([status, stderr, output]).toEqual([0, "", "errors=0\nwarnings=0\n"])
  expect(stdout).toBe("Team memory: 0 errors, 0 warnings\n")
})

test("the action takes files, a folder below the root and SARIF, and runs nothing from its inputs", async () => {
  const cwd = makeRepository({ "app/.squad/decisions.md": sound, "app/.squad/other.md": broken })
  const one = await runAction(cwd, { "working-directory": "app", files: ".squad/decisions.md", sarif: "out.sarif" })
  expect(one.status).toBe(0)
  expect(JSON.parse(readFileSync(join(cwd, "out.sarif"), "utf8")).version).toBe("2.1.0")
  const two = await runAction(cwd, { "working-directory": "app/", files: ".squad/decisions.md\n.squad/other.md" })
  expect(two.stdout).toMatch(/^::error file=app\/\.squad\/other\.md,line=/m)
  await runAction(cwd, { files: "$(touch ran) `touch ran`; touch ran" })
  expect(Object.keys(readTree(cwd))).not.toContain("ran")
})

test("annotations and SARIF name a finding's file from the root, whatever its folder is called", async () => {
  const folder = "a|b & c%, (d)"
  const cwd = makeRepository({ [`${folder}/.squad/decisions.md`]: broken })
  const { status, stdout, output } = await runAction(cwd, { "working-directory": `./${folder}/`, sarif: "out.sarif" })
  expect([status, output]).toEqual([1, expect.stringMatching(/^errors=[1-9]/)])
  expect(stdout).toContain("::error file=a|b & c%25%2C (d)/.squad/decisions.md,line=")
  const [run] = JSON.parse(readFileSync(join(cwd, "out.sarif"), "utf8")).runs
  const [{ level, locations }] = run.results
  const { uri } = locations[0].physicalLocation.artifactLocation
  expect([level, decodeURIComponent(uri)]).toEqual(["error", `${folder}/.squad/decisions.md`])
})

test("the action fails where Drey does, and leaves no empty SARIF", async () => {
  const cwd = makeRepository({ "readme.txt": "x" })
  const { status, stderr, output } = await runAction(cwd, { sarif: "out.sarif" })
  expect([status, output]).toEqual([2, ""])
  expect(stderr).toContain(".squad")
  expect(existsSync(join(cwd, "out.sarif"))).toBe(false)
  const missing = await runAction(makeRepository({ ".squad/decisions.md": sound }), { files: ".squad/gone.md" })
  expect([missing.status, missing.stdout]).toEqual([2, expect.stringContaining("::error file=.squad/gone.md,")])
})

test("the action installs the Drey of its own version unless another is given, and accepts only exact versions", async () => {
  const programs = makeRepository({ npm: '#!/bin/sh\necho "asked in $PWD: $*" >&2\nexit 2\n' })
  chmodSync(join(programs, "npm"), 0o755)
  const temporary = makeRepository({})
  const env = { PATH: `${programs}:${process.env.PATH}`, RUNNER_TEMP: temporary }
  const asked = (inputs: Record<string, string>) => runAction(makeRepository({}), { command: "", ...inputs }, env)
  const { version } = JSON.parse(read("package.json"))
  const { status, stderr } = await asked({})
  expect(status).toBe(2)
  expect(stderr).toMatch(new RegExp(`^asked in ${temporary}/drey-\\w+: install --prefix ${temporary}/drey-\\w+ `))
  expect(stderr).toContain(`--ignore-scripts`)
  expect(stderr.trimEnd()).toMatch(new RegExp(`-- drey@${version}$`))
  expect((await asked({ version: "0.0.7" })).stderr).toContain("drey@0.0.7\n")
  for (const odd of ["latest", "^1.0.0", "1", "file:.", "1.0.0 evil", "npm:evil@1.0.0"])
    expect(await asked({ version: odd }), odd).toMatchObject({
      status: 2,
      stderr: "",
      stdout: expect.stringMatching(/^::error::/),
    })
})

test("the action runs nothing of the checkout: no package, script or setting of npm that is committed there", async () => {
  const registry = await serveOwnRegistry(root)
  const temporary = makeRepository({})
  const code = '#!/usr/bin/env node\nconsole.log("CODE OF THE CHECKOUT")\n'
  const manifest = JSON.stringify({ name: "drey", version: JSON.parse(read("package.json")).version, bin: "cli.js" })
  const scripts = { preinstall: "touch ran", install: "touch ran", prepare: "touch ran" }
  const cwd = makeRepository({
    ".squad/decisions.md": sound,
    "node_modules/drey/package.json": manifest,
    "node_modules/drey/cli.js": code,
    "node_modules/drey/dist/cli.cjs": code,
    "node_modules/.bin/drey": code,
    "node_modules/.bin/npm": code,
    ".npmrc": "registry=http://127.0.0.1:9/\nscript-shell=./node_modules/.bin/drey\nignore-scripts=false\n",
    "package.json": JSON.stringify({ scripts, dependencies: { drey: "file:node_modules/drey" } }),
  })
  chmodSync(join(cwd, "node_modules/.bin/drey"), 0o755)
  const before = readTree(cwd)
  const env = { RUNNER_TEMP: temporary, npm_config_registry: registry, npm_config_cache: makeRepository({}) }
  const { status, stdout, stderr } = await runAction(cwd, { command: "" }, env)
  expect(stdout + stderr).not.toContain("CODE OF THE CHECKOUT")
  expect([status, stdout]).toEqual([0, "Team memory: 0 errors, 0 warnings\n"])
  expect(readTree(cwd)).toEqual(before)
})

test("the action's SARIF is not written through a link of the checkout", async () => {
  const outside = makeRepository({ profile: "own\n" })
  const cwd = makeRepository({ ".squad/decisions.md": sound })
  symlinkSync(join(outside, "profile"), join(cwd, "out.sarif"))
  expect((await runAction(cwd, { sarif: "out.sarif" })).status).toBe(0)
  expect(readFileSync(join(outside, "profile"), "utf8")).toBe("own\n")
  expect(JSON.parse(readFileSync(join(cwd, "out.sarif"), "utf8")).version).toBe("2.1.0")
})

test("a file of the action's input is never an option", async () => {
  const cwd = makeRepository({ ".squad/decisions.md": sound })
  const { status, stdout } = await runAction(cwd, { files: "--help" })
  expect(status).toBe(2)
  expect(stdout).toContain("::error file=--help,")
})

test("the inputs and the hook are those on the page", () => {
  const page = read("docs/checks.md")
  const inputs = [...page.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name)
  expect(inputs).toEqual(Object.keys(action.inputs))
  const [hook] = parse(read(".pre-commit-hooks.yaml"))
  const blocks = takeBlocks("docs/checks.md", "yaml", 2).map((text) => parse(text))
  const { name, description, require_serial, language, ...same } = hook
  expect(blocks[0].repos[0].hooks[0]).toMatchObject(same)
  const [, used] = blocks[1].jobs.memory.steps
  const { version } = JSON.parse(read("package.json"))
  expect(used.run).toBe(`npx --yes drey@${version} validate --strict --format github`)
  expect(new RegExp(hook.files).test(".squad/decisions.md")).toBe(true)
  expect(new RegExp(hook.files).test("src/squad/decisions.ts")).toBe(false)
})

test("the pre-commit hook checks what is staged", async () => {
  const [hook] = parse(read(".pre-commit-hooks.yaml"))
  const [program, ...args] = hook.entry.split(" ")
  expect(program).toBe("drey")
  const cwd = makeRepository({ ".squad/decisions.md": broken })
  runGit(cwd, "init", "-q")
  runGit(cwd, "add", "--all")
  writeFiles(cwd, { ".squad/decisions.md": sound }) // fixed, but not staged
  expect((await runCli(args, { cwd })).code).toBe(1)
  runGit(cwd, "add", "--all")
  expect((await runCli(args, { cwd })).code).toBe(0)
})

/** `git commit` as a user runs it, with `drey` on the PATH or not. */
function commit(cwd: string, path?: string): { status: number | null; stderr: string } {
  const who = ["-c", "user.name=Ines Falk", "-c", "user.email=ines@example.com"]
  const env = { PATH: `${path ?? ""}:${process.env.PATH}`, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" }
  const { status, stdout, stderr } = spawnSync("git", [...who, "commit", "-m", "x"], { cwd, env, encoding: "utf8" })
  return { status, stderr: stdout + stderr }
}

test("with init --hook git refuses a commit with a broken entry and accepts others", async () => {
  const cwd = makeRepository({ "readme.txt": "x" })
  runGit(cwd, "init", "-q")
  const [line = ""] = takeBlocks("docs/checks.md", "sh", 1)
  expect(line).toBe("drey init --hook\n")
  const { stdout } = await runCli(["init", "--hook"], { cwd })
  expect(stdout).toMatch(/^created +\.git\/hooks\/pre-commit/m)
  expect(statSync(join(cwd, ".git/hooks/pre-commit")).mode & 0o111).not.toBe(0)
  runGit(cwd, "add", "readme.txt")
  expect(commit(cwd).status).toBe(0) // nothing of the team's memory is in it
  writeFiles(cwd, { ".squad/decisions.md": broken })
  runGit(cwd, "add", ".squad/decisions.md")
  const refused = commit(cwd)
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain(".squad/decisions.md:")
  writeFiles(cwd, { ".squad/decisions.md": sound })
  runGit(cwd, "add", ".squad/decisions.md")
  expect(commit(cwd).status).toBe(0)
  const before = readTree(cwd)
  expect((await runCli(["init", "--hook", "--skip-history"], { cwd })).stdout).toContain("nothing to do")
  expect(readTree(cwd)).toEqual(before)
})

test("a store below the top of the repository is checked by its own root", async () => {
  const cwd = makeRepository({ "it's/app/.squad/decisions.md": broken })
  runGit(cwd, "init", "-q")
  await runCli(["init", "--hook", "--skip-history"], { cwd: join(cwd, "it's/app") })
  runGit(cwd, "add", "--all")
  const { status, stderr } = commit(cwd)
  expect([status, stderr]).toEqual([1, expect.stringContaining(".squad/decisions.md:")])
})

test("an existing hook is kept, and init shows what to add", async () => {
  const cwd = makeRepository({})
  runGit(cwd, "init", "-q")
  const hook = "#!/bin/sh\necho mine\n"
  writeFiles(cwd, { ".git/hooks/pre-commit": hook })
  const { code, stdout } = await runCli(["init", "--hook", "--skip-history"], { cwd })
  expect([code, readFileSync(join(cwd, ".git/hooks/pre-commit"), "utf8")]).toEqual([0, hook])
  expect(stdout).toContain('add "drey validate --staged" to it')
  runGit(cwd, "config", "core.hooksPath", "hooks")
  expect((await runCli(["init", "--hook", "--skip-history"], { cwd })).stdout).toContain("core.hooksPath")
  expect(existsSync(join(cwd, "hooks"))).toBe(false)
})

test("the hook takes the drey on the PATH first", async () => {
  const cwd = makeRepository({})
  runGit(cwd, "init", "-q")
  await runCli(["init", "--hook", "--skip-history"], { cwd })
  const programs = makeRepository({ drey: '#!/bin/sh\necho "asked: $*" >&2\nexit 1\n' })
  chmodSync(join(programs, "drey"), 0o755)
  runGit(cwd, "add", "--all")
  const { status, stderr } = commit(cwd, programs)
  expect([status, stderr]).toEqual([1, expect.stringContaining("asked: validate --staged")])
  execFileSync("sh", ["-n", join(cwd, ".git/hooks/pre-commit")])
})
