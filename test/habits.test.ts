import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { environmentOf, makeRepository, runGit } from "./run-cli.ts"
import { hasTerminal, startOnTerminal } from "./terminal.ts"
import { runWarm } from "./warm-cli.ts"

/** A trusted repository of git, with what the user and an agent have written to it. */
async function place() {
  const cwd = makeRepository({ ".squad/decisions.md": "# Decisions\n" })
  runGit(cwd, "init", "-q")
  for (const [name, value] of [
    ["user.name", "Ada Lovelace"],
    ["user.email", "ada@example.org"],
  ] as const)
    runGit(cwd, "config", name, value)
  const home = makeRepository({})
  const env = environmentOf({ HOME: home, DREY_HOME: join(home, ".drey") })
  const run = (...args: string[]) => runWarm(args, { cwd, env })
  await run("trust")
  const id = async (...args: string[]) => (await run("remember", "-q", ...args)).stdout.trim()
  /** Types each key when its question has appeared, and returns all that the terminal has shown. */
  const onTerminal = async (command: string, answers: [question: RegExp, key: string][] = []) => {
    const child = startOnTerminal(command, { cwd, env })
    let shown = ""
    let answered = 0
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      shown += text
      const [question, key] = answers[0] ?? []
      if (!question?.test(shown.slice(answered))) return
      answers.shift()
      answered = shown.length
      child.stdin.write(key ?? "")
    })
    await new Promise((resolve) => child.on("close", resolve))
    return shown.replace(/\r\n/g, "\n")
  }
  return { cwd, run, id, onTerminal, decisions: () => readFileSync(join(cwd, ".squad/decisions.md"), "utf8") }
}

test("ids are shown as their shortest unique prefix, which every command takes", async () => {
  const { run, id } = await place()
  const full = await id("--rule", "Indent with tabs")
  await id("--decision", "Orders are kept in PostgreSQL")
  const { stdout } = await run("list", "--type", "directive")
  const short = stdout.split(" ")[0] ?? ""
  expect(short.length).toBeGreaterThanOrEqual(4)
  expect(full).toMatch(new RegExp(`^sem-${short}`))
  expect((await run("search", "tabs")).stdout).toContain(`[${short}]`)
  expect((await run("log", "--since", "1d")).stdout).toContain(`${short}  `)
  for (const args of [
    ["show", short],
    ["edit", short, "--tags", "style"],
    ["forget", short],
  ])
    expect([args, (await run(...args)).code]).toEqual([args, 0])
})

test("edit turns a rule into a note and back, with the same id and text", async () => {
  const { run, id, decisions } = await place()
  const rule = await id("--rule", "Staging is read-only at night", "--why", "The backup runs")
  const before = decisions()
  expect(await run("edit", rule, "--note")).toMatchObject({ code: 0, stderr: "" })
  expect(decisions()).toContain("**type:** note")
  expect(decisions()).toContain("The backup runs")
  expect(JSON.parse((await run("show", rule, "--json")).stdout)).toMatchObject({ id: rule, type: "note" })
  await run("edit", rule, "--rule")
  expect(decisions()).toBe(before)
  expect((await run("edit", rule, "--rule", "--note")).code).toBe(2)
})

test("-q prints nothing but ids or problems, and -n and --since limit", async () => {
  const { run, id } = await place()
  const first = await id("--note", "The office is closed on Fridays")
  const second = await id("--note", "The printer is on the second floor")
  expect((await run("list", "-q", "-n", "1")).stdout.trim()).toMatch(new RegExp(`^(?:${first}|${second})$`))
  expect((await run("search", "printer", "-q", "--since", "1d", "-n", "1")).stdout.trim()).toBe(second)
  expect((await run("search", "printer", "--since", "2199-01-01")).code).toBe(1)
  for (const args of [
    ["edit", first, "--tags", "office", "-q"],
    ["forget", first, "-q"],
    ["undo", "-q"],
    ["tidy", "-q"],
    ["disconnect", "-y", "-q"],
  ])
    expect([args, await run(...args)]).toEqual([args, { code: 0, stdout: "", stderr: "" }])
  for (const name of ["A", "B", "C"]) await id("--propose", "--note", `The lift ${name} is out of order`)
  expect((await run("inbox", "-n", "2")).stdout).toMatch(/^2 proposals to review:/)
  expect((await run("inbox", "list", "--since", "2199-01-01")).stdout).toBe("Nothing to review.\n")
})

test("check --fix accepts audit lines that git removed, and merges what needs no review", async () => {
  const { cwd, run, id, decisions } = await place()
  await id("--note", "The office is closed on Fridays")
  runGit(cwd, "add", "-A")
  runGit(cwd, "commit", "-qm", "notes")
  await run("memory", "write", "The printer is on the second floor", "--class", "DECISION", "--author", "kane")
  runGit(cwd, "checkout", "-q", ".squad/memory/audit.jsonl")
  const audit = async () => {
    const { stdout } = await run("check", "--json")
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === "audit chain")
  }
  expect(await audit()).toMatchObject({ status: "warn", message: expect.stringContaining("removed by git") })
  const { fixed } = JSON.parse((await run("check", "--fix", "--json")).stdout)
  expect(fixed).toContain("accepted that git removed the end of 1 audit chain")
  expect(decisions()).toContain("The printer is on the second floor")
  expect(await audit()).toMatchObject({ status: "pass" })
  expect((await run("memory", "audit", "--verify")).code).toBe(0)
})

test.runIf(hasTerminal)("drey inbox --review decides with one key each; q leaves the rest", async () => {
  const { run, id, onTerminal, decisions } = await place()
  for (const name of ["A", "B", "C", "D"]) await id("--propose", "--note", `Lift ${name} is out of order`)
  const shown = await onTerminal("inbox --review", [
    [/q quit/, "\u001b[Axa"], // an arrow and what is not a key are ignored
    [/q quit/, "r"],
    [/Why\?/, "Repaired\r"],
    [/q quit/, "s"],
    [/q quit/, "q"],
  ])
  expect(shown).toContain("1 of 4")
  expect(shown).toContain("4 of 4")
  expect(decisions().match(/Lift [A-D] is out of order/g)?.length).toBeGreaterThan(0)
  expect(JSON.parse((await run("inbox", "--json")).stdout).proposals).toHaveLength(2)
})

test.runIf(hasTerminal)("lists fit the terminal, and memory prints text there but JSON into a pipe", async () => {
  const { run, id, onTerminal } = await place()
  const title = "The long-lived connections of the reporting service are closed every night at three by the proxy"
  await id("--note", "--title", title, `${title}, and opened again.`)
  await id("--propose", "--note", "--title", `${title} again`, "Twice, in fact.")
  for (const command of ["list --no-color", "log --since 1d --no-color", "inbox list --no-color"]) {
    const lines = (await onTerminal(command)).split("\n").filter((line) => line.includes("The long-lived"))
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect([command, line.length <= 80, line]).toEqual([command, true, line])
  }
  expect(await onTerminal("memory classify 'Always use tabs' --no-color")).toMatch(/^class {2}POLICY$/m)
  expect(JSON.parse((await run("memory", "classify", "Always use tabs")).stdout)).toMatchObject({ class: "POLICY" })
})

test("rules are found by the name that lists show", async () => {
  const { run, id } = await place()
  const rule = await id("--rule", "Indent with tabs")
  await id("--note", "Tabs are eight columns wide here")
  for (const args of [
    ["list", "-q", "--type", "rule"],
    ["list", "-q", "type:rule"],
    ["search", "-q", "type:rule tabs"],
  ])
    expect([args, (await run(...args)).stdout.trim()]).toEqual([args, rule])
})

test("an empty text forgets, changes and finds nothing", async () => {
  const { run, id, decisions } = await place()
  const rule = await id("--rule", "Indent with tabs")
  const before = decisions()
  for (const args of [
    ["forget", "-y", ""],
    ["forget", "-y", " "],
    ["edit", rule, "--text", " "],
    ["search", ""],
  ])
    expect([args, (await run(...args)).code]).toEqual([args, 2])
  expect(decisions()).toBe(before)
})

test("the line of a saved entry is its heading's, whatever its title contains", async () => {
  const { run, decisions } = await place()
  await run("remember", "Governance of the API is by the platform team")
  const { stdout } = await run("remember", "--note", "a")
  const line = Number(/decisions\.md:(\d+)/.exec(stdout)?.[1])
  expect(decisions().split("\n")[line - 1]).toMatch(/^### .*: note: a$/)
})

test("a wrong command line is one sentence and what to try next", async () => {
  const { run } = await place()
  const wrong: [string[], string][] = [
    [["lst"], "drey: unknown command 'lst'\n  Did you mean list?\n"],
    [["list", "--foo"], "drey: unknown option '--foo'\n  Add --help for what it takes.\n"],
    [["edit"], "drey: missing required argument 'id'\n  Add --help for what it takes.\n"],
  ]
  for (const [args, stderr] of wrong) expect(await run(...args)).toMatchObject({ code: 2, stderr })
})
