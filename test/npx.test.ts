import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { delimiter, dirname, join, resolve } from "node:path"
import { expect, test } from "vitest"
import { dreyOnPath } from "./drey-on-path.ts"
import { cliPath, environmentOf, makeRepository, runCli, runGit } from "./run-cli.ts"

const source = resolve(dirname(cliPath), "..")

/** A repository used with Claude Code, and Drey as npx runs it: from its cache, whose programs it puts before the PATH. */
function runByNpx({ path = process.env.PATH ?? "" } = {}) {
  const cwd = makeRepository({ "package.json": "{}" })
  runGit(cwd, "init", "-q")
  const home = makeRepository({ ".claude/settings.json": "{}" })
  const modules = join(home, ".npm", "_npx", "3f1c7a9e52d04b68", "node_modules")
  for (const name of ["package.json", "dist", "templates", "assets"])
    cpSync(join(source, name), join(modules, "drey", name), { recursive: true })
  const program = join(modules, ".bin", "drey")
  mkdirSync(dirname(program))
  symlinkSync("../drey/dist/cli.cjs", program)
  chmodSync(program, 0o755)
  const env = environmentOf({
    HOME: home,
    DREY_HOME: join(home, ".drey"),
    PATH: [join(cwd, "node_modules", ".bin"), dirname(program), path].join(delimiter),
    npm_command: "exec",
  })
  return { cwd, home, run: (...args: string[]) => runCli(args, { cwd, env, cli: program }) }
}

test("with npx nothing is set up that refers to its copy: init connects no client and shows what to install", async () => {
  const it = runByNpx()
  const { code, stdout, stderr } = await it.run("init", "--yes", "--hook")
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  expect(stdout).toContain(
    "Claude Code cannot be connected by npx: its copy of Drey is temporary, so agents could not start it later.",
  )
  expect(stdout).toMatch(
    /^Next:\n {2}npm install -g drey +then run "drey connect" to connect Claude Code\n {2}npx drey remember /m,
  )
  expect(existsSync(join(it.cwd, ".mcp.json"))).toBe(false)
  expect(readFileSync(join(it.home, ".claude/settings.json"), "utf8")).toBe("{}")
  expect(runGit(it.cwd, "config", "merge.drey.driver")).toMatch(
    /^if command -v drey >\/dev\/null; then drey merge-driver /,
  )
  expect(readFileSync(join(it.cwd, ".git/hooks/pre-commit"), "utf8")).not.toContain("_npx")

  const connecting = await it.run("connect", "--yes")
  expect(connecting.code).toBe(1)
  expect(connecting.stdout).toBe("")
  expect(connecting.stderr).toContain("npx installed this copy of Drey for one command")
  expect(connecting.stderr).toContain('Install it ("npm install -g drey"), then run "drey connect".')
  expect(existsSync(join(it.cwd, ".mcp.json"))).toBe(false)
})

test("by npx, where another Drey is installed, agents are connected with that one", async () => {
  const it = runByNpx({ path: dreyOnPath() })
  expect((await it.run("init", "--yes")).stdout).toContain('"drey disconnect" restores every file exactly.')
  expect(JSON.parse(readFileSync(join(it.cwd, ".mcp.json"), "utf8")).mcpServers.drey).toMatchObject({ command: "drey" })
})
