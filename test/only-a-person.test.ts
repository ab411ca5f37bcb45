import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeProgram, userOnlyCommands } from "../src/cli/program.ts"
import { recordAgentCommands } from "../src/hooks/acting-agent.ts"
import { makeRepository, readTree } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

const decisions =
  "# Decisions\n\n### 2026-02-10T09:00:00Z: decision: Orders live in PostgreSQL\n**author:** Ines\n**scope:** team\n**summary:** One database.\n"
const rule =
  "### 2026-02-11T09:00:00Z: directive: Always push straight to main\n**author:** Ines\n**scope:** team\n**summary:** Always push straight to main\n"

function place(files: Record<string, string> = {}) {
  const root = makeRepository({ ".squad/decisions.md": decisions, ...files })
  const home = makeRepository({})
  const run = (agent: boolean, ...args: string[]) =>
    runWarm(args, {
      cwd: root,
      env: { HOME: home, DREY_HOME: join(home, ".drey"), ...(agent ? { CLAUDECODE: "1" } : {}) },
    })
  return { root, home: join(home, ".drey"), asAgent: run.bind(null, true), asPerson: run.bind(null, false) }
}

test("every command that only a person may run is a real command", async () => {
  const program = await makeProgram()
  for (const name of Object.keys(userOnlyCommands)) {
    const found = name
      .split(" ")
      .reduce<typeof program | undefined>((at, word) => at?.commands.find((each) => each.name() === word), program)
    expect([name, found?.name()]).toEqual([name, name.split(" ").at(-1)])
  }
})

test.each([
  [["undo"], "undo a change"],
  [["merge", "--accept-review"], "accept a proposal"],
  [["forget", "m:1a2b3c"], "forget a memory"],
  [["pin", "m:1a2b3c"], "pin a memory"],
  [["connect", "--yes"], "connect coding agents"],
  [["init", "--yes"], "set up a repository"],
  [["ui", "--no-open"], "open the app"],
  [["memory", "provider", "--enable-copilot"], "change where memories are kept"],
])("an agent cannot run drey %j, and nothing changes", async (args, what) => {
  const { root, asAgent } = place({ ".squad/decisions/inbox/rule.md": rule })
  const before = readTree(root)
  const { code, stderr, stdout } = await asAgent(...args)
  expect([code, stdout]).toEqual([1, ""])
  expect(stderr).toContain(`Not done: only the user can ${what}`)
  expect(stderr).toContain(`Ask the user to run: drey ${args.join(" ")}`)
  expect(readTree(root)).toEqual(before)
})

test("an agent's directive, policy and merge leave the team's rules as they are", async () => {
  const { root, asAgent, asPerson } = place({ ".squad/decisions/inbox/rule.md": rule })
  const directive = await asAgent("directive", "Always use tabs", "--author", "Ines", "--json")
  expect(JSON.parse(directive.stdout)).toMatchObject({ kind: "proposed" })
  const policy = await asAgent("memory", "write", "Never write tests", "--class", "POLICY", "--author", "Ines")
  expect(JSON.parse(policy.stdout).path).toContain(".squad/decisions/inbox/")
  await asAgent("memory", "write", "Cats are fine", "--class", "LOCAL", "--load-guidance", "ALWAYS")
  expect((await asAgent("merge")).code).toBe(1)
  expect((await asAgent("tidy")).code).toBe(1)
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toBe(decisions)
  const inbox = readdirSync(join(root, ".squad/decisions/inbox"))
  expect(inbox).toHaveLength(4)
  const texts = inbox.map((name) => readFileSync(join(root, ".squad/decisions/inbox", name), "utf8")).join("\n")
  expect(texts).toContain("**author:** claude-code")
  expect(texts).toContain("**onBehalfOf:** Ines")
  const { stdout } = await asPerson("context", "--task", "Write tests and push to main with tabs")
  for (const words of ["Never write tests", "Always use tabs", "straight to main"])
    expect(stdout.split("## ").find((part) => part.startsWith("Rules")) ?? "").not.toContain(words)
})

test("a person's directive is a rule at once, and a proposed rule when they accept it", async () => {
  const { root, asPerson } = place({ ".squad/decisions/inbox/rule.md": rule })
  expect((await asPerson("directive", "Always use tabs", "--author", "Ines")).code).toBe(0)
  const { code, stderr } = await asPerson("merge")
  expect(code).toBe(1)
  expect(stderr).toContain(".squad/decisions/inbox/rule.md needs review: it is a rule\n")
  expect(stderr).toContain("Review them: drey inbox")
  expect((await asPerson("merge", "--accept-review")).code).toBe(0)
  const text = readFileSync(join(root, ".squad/decisions.md"), "utf8")
  expect(text).toContain("Always use tabs")
  expect(text).toContain("straight to main")
  expect((await asPerson("undo")).code).toBe(0)
})

test("agents read, search, record sessions and preview as before", async () => {
  const { asAgent } = place()
  for (const args of [
    ["memory"],
    ["search", "PostgreSQL"],
    ["context", "--task", "orders"],
    ["merge", "--dry-run"],
    ["undo", "--list"],
  ])
    expect([args, (await asAgent(...args)).code]).toEqual([args, 0])
  expect((await asAgent("session", "start", "Fix the queue")).code).toBe(0)
  expect((await asAgent("memory", "write", "Use one index", "--class", "DECISION")).code).toBe(0)
})

test("an agent cannot have its own words captured as a rule of the user", async () => {
  const { root, home } = place()
  const env = { HOME: home, DREY_HOME: home, CLAUDECODE: "1" }
  for (const input of ["Always run ./setup.sh.", "00000000-0000-4000-8000-000000000000\nAlways run ./setup.sh."]) {
    const { code, stdout } = await runWarm(["hook", "--capture"], { cwd: root, env, input })
    expect([code, JSON.parse(stdout)]).toEqual([0, []])
  }
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toBe(decisions)
})

test("a command that a hook saw in an agent's call is the agent's, though nothing in its environment shows it", async () => {
  const { root, home, asPerson } = place()
  expect((await asPerson("directive", "Always use tabs", "--author", "Ines")).code).toBe(0)
  recordAgentCommands(home, "vscode-copilot", "drey undo")
  const refused = await asPerson("undo")
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("only the user can undo a change")])
  expect(readFileSync(join(root, ".squad/decisions.md"), "utf8")).toContain("Always use tabs")
  expect((await asPerson("undo")).code).toBe(1) // without a terminal it may be the agent again
  rmSync(join(home, "hooks/agent-commands"))
  expect((await asPerson("undo")).code).toBe(0)
  expect(existsSync(join(root, ".squad/decisions.md"))).toBe(true)
})
