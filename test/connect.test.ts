import { chmodSync, existsSync, lstatSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { parse } from "jsonc-parser"
import { expect, test } from "vitest"
import { clientSettings } from "./client-settings.ts"
import { cliPath, makeRepository, readTree, runCli, writeFiles } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const everyClient = [
  "claude-code",
  "codex",
  "gemini-cli",
  "copilot-cli",
  "vscode-copilot",
  "cursor",
  "windsurf",
  "opencode",
  "cline",
  "zed",
  "pi",
]

const variants: Record<string, (text: string) => string> = {
  "as people write them": (text) => text,
  "with CRLF": (text) => text.replaceAll("\n", "\r\n"),
  "with a byte order mark": (text) => `\uFEFF${text}`,
  "without a last line end": (text) => text.replace(/\n$/, ""),
  "with odd white space in what is empty": (text) => text.replaceAll("{}", "{ \t}").replaceAll("[]", "[\n]"),
  "that are empty": () => "",
}

for (const scope of ["project", "user"] as const) {
  test.each(Object.entries(variants))(`${scope} settings %s get every byte back`, async (_, vary) => {
    const { root, home, run } = makePlace()
    const settings = Object.entries(clientSettings(scope)).map(([path, text]) => [path, vary(text)])
    writeFiles(scope === "project" ? root : home, Object.fromEntries(settings))
    const before = [readTree(root), readTree(home)]

    const connected = await run("connect", ...everyClient, "--scope", scope, "--context-files", "--yes", "--json")
    expect(connected).toMatchObject({ code: 0, stderr: "" })
    const { files } = JSON.parse(connected.stdout)
    expect(files.filter(({ change }: { change: string }) => change === "left")).toEqual([])
    const between = [readTree(root), readTree(home)]
    expect(between).not.toEqual(before)

    expect(await run("connect", ...everyClient, "--scope", scope, "--context-files", "--yes")).toMatchObject({
      code: 0,
    })
    expect([readTree(root), readTree(home)]).toEqual(between)

    expect(await run("disconnect")).toMatchObject({ code: 0, stderr: "" })
    expect([readTree(root), readTree(home)]).toEqual(before)
  })

  test(`where there are no ${scope} settings, none are left`, async () => {
    const { root, home, run } = makePlace()
    const before = [readTree(root), readTree(home)]
    expect(await run("connect", ...everyClient, "--scope", scope, "--context-files", "--yes")).toMatchObject({
      code: 0,
    })
    expect(Object.keys({ ...readTree(root), ...readTree(home) }).length).toBeGreaterThan(20)
    expect(await run("disconnect")).toMatchObject({ code: 0 })
    expect([readTree(root), readTree(home)]).toEqual(before)
  })

  test(`${scope} settings that were changed meanwhile lose what is Drey's and nothing else`, async () => {
    const { root, home, run } = makePlace()
    const folder = scope === "project" ? root : home
    writeFiles(folder, clientSettings(scope))
    await run("connect", ...everyClient, "--scope", scope, "--yes")
    const paths = Object.keys(clientSettings(scope)).filter((path) => /\.jsonc?$/.test(path))
    for (const path of paths) {
      const text = readFileSync(join(folder, path), "utf8")
      writeFiles(folder, { [path]: text.replace("{", '{ "mine": [1], ') })
    }
    expect(await run("disconnect")).toMatchObject({ code: 0 })
    for (const path of paths) {
      const text = readFileSync(join(folder, path), "utf8")
      expect(text).not.toMatch(/drey/i)
      expect(parse(text)).toEqual({ mine: [1], ...parse(clientSettings(scope)[path] ?? "") })
    }
  })

  test(`without a record ${scope} settings are cleaned by name`, async () => {
    const { root, home, dreyHome, run } = makePlace()
    const folder = scope === "project" ? root : home
    writeFiles(folder, clientSettings(scope))
    await run("connect", ...everyClient, "--scope", scope, "--context-files", "--yes")
    rmSync(dreyHome, { recursive: true })
    const { code, stdout } = await run("disconnect")
    expect(code).toBe(0)
    expect(stdout).toContain("Drey has no record")
    for (const [path, text] of Object.entries({ ...readTree(root), ...readTree(home) })) {
      if (!path.startsWith(".squad"))
        expect(text, path).not.toMatch(/"drey"|^\[mcp_servers.drey|drey (?:hook|mcp)|drey:begin|squad-memory/m)
    }
    expect(parse(readFileSync(join(folder, ".cursor/hooks.json"), "utf8"))).toEqual(
      parse(clientSettings(scope)[".cursor/hooks.json"] ?? ""),
    )
  })
}

test("clients that are here are found, the plan is shown, and nothing is written without a yes", async () => {
  const { root, home, run } = makePlace()
  writeFiles(root, { ".cursor/mcp.json": '{ "mcpServers": {} }\n' })
  writeFiles(home, { ".codex/auth.json": "{}" })
  const before = [readTree(root), readTree(home)]
  const { code, stdout, stderr } = await run("connect")
  expect(code).toBe(1)
  expect(stderr).toContain("Nothing was written")
  expect(stderr).toContain("--yes")
  expect(stdout).toContain("Cursor  the repository has .cursor; project files")
  expect(stdout).toMatch(/Codex {2}.*\.codex is there/)
  expect(stdout).not.toContain("Zed")
  expect(stdout).toMatch(/\+ +"drey": \{ "command": "drey", "args": \["mcp"\] \}/)
  expect((await run("connect", "--dry-run")).code).toBe(0)
  expect([readTree(root), readTree(home)]).toEqual(before)
})

test("no client found is reported, and an unknown name is refused", async () => {
  const { run } = makePlace()
  expect(await run("connect")).toMatchObject({ code: 1, stdout: expect.stringContaining("No coding agent was found") })
  expect(await run("connect", "curser")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Did you mean cursor?"),
  })
  expect(await run("connect", "c")).toMatchObject({ code: 2 })
})

test("one entry of .mcp.json serves two clients, and goes with the last of them", async () => {
  const { root, run } = makePlace()
  await run("connect", "claude-code", "copilot-cli", "--yes")
  const entry = readFileSync(join(root, ".mcp.json"), "utf8")
  expect(await run("disconnect", "claude-code")).toMatchObject({ code: 0 })
  expect(readFileSync(join(root, ".mcp.json"), "utf8")).toBe(entry)
  expect(existsSync(join(root, ".claude/settings.json"))).toBe(false)
  expect(existsSync(join(root, ".github/hooks/drey.json"))).toBe(true)
  await run("disconnect", "copilot-cli")
  expect(Object.keys(readTree(root)).filter((path) => !/^\.(?:git|squad)\b(?!hub)/.test(path))).toEqual([])
})

test("settings of the user that two repositories asked for stay until both are disconnected", async () => {
  const { home, run } = makePlace()
  const other = makeRepository({ ".git/HEAD": "", ".squad/decisions.md": "" })
  const path = join(home, ".codeium/windsurf/mcp_config.json")
  await run("connect", "windsurf", "--yes")
  await run("connect", "windsurf", "--yes", "--root", other)
  const { stdout } = await run("disconnect")
  expect(stdout).toMatch(/kept .*mcp_config\.json {2}still used by windsurf in /)
  expect(existsSync(path)).toBe(true)
  await run("disconnect", "--root", other)
  expect(existsSync(path)).toBe(false)
})

test("a file that is not JSON is reported and left unchanged, and the others are written", async () => {
  const { root, run } = makePlace()
  writeFiles(root, { ".mcp.json": '{ "mcpServers": \n', ".codex/config.toml": "= 1\n" })
  const { code, stdout } = await run("connect", "claude-code", "codex", "--yes")
  expect(code).toBe(1)
  expect(stdout).toContain(".mcp.json:2:1 is not valid JSON, so the file is not changed")
  expect(stdout).toContain("config.toml:1:1 is not valid TOML, so the file is not changed")
  expect(readFileSync(join(root, ".mcp.json"), "utf8")).toBe('{ "mcpServers": \n')
  expect(parse(readFileSync(join(root, ".claude/settings.json"), "utf8")).hooks.SessionStart).toHaveLength(1)
  await run("disconnect")
  expect(existsSync(join(root, ".claude"))).toBe(false)
  expect(readFileSync(join(root, ".codex/config.toml"), "utf8")).toBe("= 1\n")
})

test("a changed Drey entry is kept and reported", async () => {
  const { root, run } = makePlace()
  await run("connect", "cursor", "--yes")
  const theirs = '{ "mcpServers": { "drey": { "command": "drey", "args": ["mcp"], "env": { "DREY_DEBUG": "1" } } } }\n'
  writeFiles(root, { ".cursor/mcp.json": theirs, ".cursor/hooks.json": "{}" })
  const { stdout } = await run("connect", "cursor", "--yes")
  expect(stdout).toContain("mcpServers.drey is already set to something else; it is unchanged")
  expect(readFileSync(join(root, ".cursor/mcp.json"), "utf8")).toBe(theirs)
  expect(readFileSync(join(root, ".cursor/hooks.json"), "utf8")).toContain("drey hook cursor preToolUse")
})

test("links lead to the file that is written, and permissions stay", async () => {
  const { root, home, run } = makePlace()
  writeFiles(home, { "dotfiles/settings.json": "{}\n", "dotfiles/servers.json": "{}" })
  symlinkSync(join(home, "dotfiles"), join(home, ".claude"))
  symlinkSync("dotfiles/servers.json", join(home, ".claude.json"))
  chmodSync(join(home, "dotfiles/settings.json"), 0o600)
  const before = [readTree(root), readTree(home)]
  expect(await run("connect", "claude-code", "--scope", "user", "--yes")).toMatchObject({ code: 0 })
  expect(lstatSync(join(home, ".claude.json")).isSymbolicLink()).toBe(true)
  expect(statSync(join(home, "dotfiles/settings.json")).mode & 0o777).toBe(0o600)
  expect(Object.keys(parse(readFileSync(join(home, "dotfiles/settings.json"), "utf8")))).toContain("hooks")
  await run("disconnect")
  expect([readTree(root), readTree(home)]).toEqual(before)
})

test("where drey is not on the PATH, paths of this machine go into the user's files, and the plan says so", async () => {
  const { root, home, run } = makePlace({ onPath: false })
  const before = readTree(root)
  const { stdout } = await run("connect", "claude-code", "codex", "--yes")
  expect(stdout).toContain('"drey" is not on the PATH')
  expect(readTree(root)).toEqual(before)
  expect(statSync(join(home, ".claude.json")).mode & 0o777).toBe(0o600) // the client will keep more in it
  const { command, args } = parse(readFileSync(join(home, ".claude.json"), "utf8")).mcpServers.drey
  expect([command, ...args]).toEqual([process.execPath, cliPath, "mcp"])
  expect(readFileSync(join(home, ".codex/config.toml"), "utf8")).toContain(cliPath)
})

test("DREY_COMMAND sets how Drey is started", async () => {
  const { root, run } = makePlace({ env: { DREY_COMMAND: "npx drey" } })
  await run("connect", "claude-code", "--yes")
  const server = { type: "stdio", command: "npx", args: ["drey", "mcp"] }
  expect(parse(readFileSync(join(root, ".mcp.json"), "utf8")).mcpServers.drey).toEqual(server)
  expect(readFileSync(join(root, ".claude/settings.json"), "utf8")).toContain(
    "npx drey hook claude-code SessionStart; exit 0",
  )
})

test("rules that always apply are in AGENTS.md once, within their budget, and clients that do not read it are pointed there", async () => {
  const { root, run } = makePlace()
  writeFiles(root, { "AGENTS.md": "# Ours\r\n", "CLAUDE.md": "# Claude\n" })
  await run("directive", "Always use named exports", "--author", "Ines")
  await run("directive", `Never ${"mention it twice and ".repeat(60)}thrice`, "--author", "Ines")
  const connected = await run(
    "connect",
    "claude-code",
    "gemini-cli",
    "copilot-cli",
    "--context-files",
    "--budget",
    "400",
    "--yes",
  )
  expect(connected).toMatchObject({ code: 0 })
  const agents = readFileSync(join(root, "AGENTS.md"), "utf8")
  expect(agents).toMatch(/^# Ours\r\n\r\n<!-- drey:begin -->\r\n/)
  expect(agents.match(/named exports/g)).toHaveLength(1)
  expect(agents).not.toContain("thrice")
  for (const name of ["CLAUDE.md", "GEMINI.md"])
    expect(readFileSync(join(root, name), "utf8")).toContain("<!-- drey:begin -->\n@./AGENTS.md\n<!-- drey:end -->")
  await run("directive", "Always use tabs", "--author", "Ines")
  await run("connect", "claude-code", "--context-files", "--yes")
  const later = readFileSync(join(root, "AGENTS.md"), "utf8")
  expect(later).toContain("Always use tabs")
  expect(later).toContain("thrice")
  await run("disconnect")
  expect(readFileSync(join(root, "AGENTS.md"), "utf8")).toBe("# Ours\r\n")
  expect(readFileSync(join(root, "CLAUDE.md"), "utf8")).toBe("# Claude\n")
  expect(existsSync(join(root, "GEMINI.md"))).toBe(false)
})

test("doctor reports outdated rules in AGENTS.md, and the command that it names updates them", async () => {
  const { root, run } = makePlace()
  const verdict = async () => {
    const { checks } = JSON.parse((await run("doctor", "--json")).stdout) as { checks: Record<string, string>[] }
    return checks.find(({ name }) => name === "context files")
  }
  await run("connect", "codex", "--yes")
  expect(await verdict()).toBeUndefined()
  await run("connect", "codex", "--context-files", "--budget", "300", "--yes")
  expect(await verdict()).toMatchObject({ status: "pass" })
  await run("directive", "Always use named exports", "--author", "Ines")
  const { status, message } = (await verdict()) ?? {}
  expect(status).toBe("warn")
  const [, remedy = ""] = /"drey (connect codex --context-files --budget 300)"/.exec(message ?? "") ?? []
  await run(...remedy.split(" "), "--yes")
  expect(await verdict()).toMatchObject({ status: "pass" })
  const path = ".squad/decisions.md"
  writeFiles(root, { [path]: readFileSync(join(root, path), "utf8").replace("\n", "\n\nMoved by a line.\n") })
  expect(await verdict()).toMatchObject({ status: "pass" })
})

test("what a client reads in AGENTS.md is not repeated when a session starts", async () => {
  const { root, run, runWith } = makePlace({ env: { DREY_HOOK_MS: "60000" } })
  await run("directive", "Always use named exports", "--author", "Ines")
  await run("connect", "claude-code", "--yes")
  const start = (session: string) =>
    runWith(
      JSON.stringify({ session_id: session, cwd: root, source: "startup" }),
      "hook",
      "claude-code",
      "SessionStart",
    )
  expect((await start("one")).stdout).toContain("named exports")
  await run("connect", "claude-code", "--context-files", "--yes")
  expect((await start("two")).stdout).not.toContain("named exports")
  writeFiles(root, { "CLAUDE.md": "Be brief.\n" }) // now it reads this instead
  expect((await start("three")).stdout).toContain("named exports")
})

test.each([
  ["imports it", { "CLAUDE.md": "Read @AGENTS.md first.\n" }],
  ["is not there", {}],
])("Claude Code is not pointed to AGENTS.md twice: CLAUDE.md %s", async (_, files) => {
  const { root, run } = makePlace()
  writeFiles(root, files)
  const before = readTree(root)["CLAUDE.md"]
  await run("connect", "claude-code", "--context-files", "--yes")
  expect(readTree(root)["CLAUDE.md"]).toBe(before)
})

test("Gemini CLI is not pointed to AGENTS.md when its settings name that file", async () => {
  const { root, run } = makePlace()
  writeFiles(root, {
    ".gemini/settings.json": '{ "context": { "fileName": ["AGENTS.md", "GEMINI.md"] }, /* both */ }\n',
  })
  await run("connect", "gemini-cli", "--context-files", "--yes")
  expect(existsSync(join(root, "GEMINI.md"))).toBe(false)
})

test("the skills are where each client looks, as the team keeps them, and those of others stay", async () => {
  const { root, run } = makePlace()
  const changed = "---\nname: drey-conventions\ndescription: Ours\n---\nOurs.\n"
  writeFiles(root, {
    ".squad/skills/drey-conventions/SKILL.md": changed,
    ".claude/skills/drey-memory-format/SKILL.md": "theirs",
  })
  const { stdout } = await run("connect", "claude-code", "codex", "--yes")
  expect(stdout).toContain("it already exists and was not written by Drey")
  const skill = (path: string) => readFileSync(join(root, path), "utf8")
  expect(skill(".agents/skills/drey-conventions/SKILL.md")).toBe(changed)
  expect(skill(".agents/skills/drey-memory-format/SKILL.md")).toContain("name: drey-memory-format")
  expect(skill(".claude/skills/drey-memory-format/SKILL.md")).toBe("theirs")
  writeFiles(root, { ".agents/skills/drey-conventions/SKILL.md": "mine now" })
  expect((await run("disconnect")).stdout).toMatch(
    /kept {6}\.agents\/skills\/drey-conventions\/SKILL\.md {2}you have changed it/,
  )
  expect(skill(".agents/skills/drey-conventions/SKILL.md")).toBe("mine now")
  expect(existsSync(join(root, ".agents/skills/drey-memory-format"))).toBe(false)
})

test("Claude Code can be connected with a plugin folder, which disconnect removes", async () => {
  const { root, run } = makePlace()
  const before = readTree(root)
  expect(await run("connect", "claude-code", "--plugin", "made/drey", "--yes")).toMatchObject({ code: 0 })
  expect(Object.keys(readTree(join(root, "made/drey"))).filter((path) => path.includes("."))).toEqual(
    expect.arrayContaining([
      ".claude-plugin/plugin.json",
      ".mcp.json",
      "hooks/hooks.json",
      "skills/drey-conventions/SKILL.md",
    ]),
  )
  expect(existsSync(join(root, ".mcp.json"))).toBe(false)
  expect(JSON.parse(readFileSync(join(root, "made/drey/.claude-plugin/plugin.json"), "utf8"))).toMatchObject({
    name: "drey",
  })
  await run("disconnect")
  expect(readTree(root)).toEqual(before)
  expect(await run("connect", "codex", "--plugin", "x")).toMatchObject({ code: 2 })
})

test("OpenCode gets no plugin unless it is asked for", async () => {
  const { root, run } = makePlace()
  await run("connect", "opencode", "--yes")
  expect(existsSync(join(root, ".opencode"))).toBe(false)
  await run("connect", "opencode", "--opencode-plugin", "--yes")
  expect(readFileSync(join(root, ".opencode/plugins/drey.js"), "utf8")).toContain('const program = ["drey"]')
  await run("disconnect")
  expect(existsSync(join(root, ".opencode"))).toBe(false)
})

test("doctor reports which clients are connected, what is missing, and what cannot be started", async () => {
  const { root, run } = makePlace()
  const checkAll = () => run("doctor", "--verbose")
  expect((await checkAll()).stdout).toContain("✅ clients: No coding agent is connected")
  await run("connect", "claude-code", "codex", "--yes")
  const sound = await checkAll()
  expect(sound.stdout).toContain("✅ client Claude Code: connected by .mcp.json, .claude/settings.json")
  expect(sound.stdout).not.toContain("Copilot") // which reads .mcp.json too
  writeFiles(root, { ".codex/hooks.json": "{}" })
  const { stdout } = await run("doctor")
  expect(stdout).toContain('client Codex: .codex/hooks.json lacks Drey\'s hooks. Run "drey connect codex" to fix it.')
  writeFiles(root, { ".mcp.json": '{ "mcpServers": { "drey": { "command": "/gone/node" } } }' })
  expect((await run("doctor")).stdout).toContain("❌ client Claude Code: It starts /gone/node, which does not exist.")
  await run("connect", "zed", "--yes")
  const elsewhere = await runWarm(["doctor"], { cwd: root })
  expect(elsewhere.stdout).toContain('❌ client Zed: It starts "drey", which is not on the PATH')
})

/** A repository with a team folder, and a home of its own; `drey` is on the PATH unless a test wants it otherwise. */
function makePlace({ onPath = true, env = {} }: { onPath?: boolean; env?: Record<string, string> } = {}) {
  const root = makeRepository({ ".git/HEAD": "ref: refs/heads/main\n", ".squad/decisions.md": "# Decisions\n" })
  const home = makeRepository({})
  const dreyHome = makeRepository({})
  const programs = makeRepository({})
  if (onPath) symlinkSync(cliPath, join(programs, "drey"))
  const options = { cwd: root, env: { HOME: home, DREY_HOME: dreyHome, PATH: `${programs}:/usr/bin:/bin`, ...env } }
  const runWith = (input: string, ...args: string[]) => runCli(args, { ...options, input })
  return { root, home, dreyHome, runWith, run: (...args: string[]) => runWarm(args, options) }
}
