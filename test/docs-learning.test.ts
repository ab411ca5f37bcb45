import { join } from "node:path"
import { expect, test } from "vitest"
import { files } from "../src/cli/help/topics.ts"
import { writerPrompt } from "../src/learning/writer/prompt.ts"
import { assistantSaid, edited, inputOf, known, ran, read, said } from "../src/learning/writer/test-input.ts"
import { readOrganisationLearning } from "../src/server/organisation-learning.ts"
import { commandsIn, takeBlocks } from "./doc-blocks.ts"
import { maskDemo } from "./mask-demo.ts"
import { makeRepository, writeFiles } from "./run-cli.ts"
import { runWarm, warmCliIn } from "./warm-cli.ts"

const page = "docs/learning.md"
const [guards = "", policy = ""] = takeBlocks(page, "toml", 2)

test("what the page shows of ingest is what the demo's repository teaches", async () => {
  const [shown] = commandsIn(takeBlocks(page, "console", 1))
  const { stdout } = await runWarm(["demo", "--json"], { cwd: makeRepository({}) })
  const { commands }: { commands: { command: string; output: string }[] } = JSON.parse(stdout)
  const ingest = commands.find(({ command }) => command === shown?.line)
  expect(maskDemo(`${ingest?.output.trimEnd()}\n`)).toBe(maskDemo(shown?.printed ?? ""))
})

test("the settings of the page choose that writer, which then lacks nothing but a key", async () => {
  const { home, run } = warmCliIn(makeRepository({ ".squad/team.md": "# Team\n" }))
  const [settings = ""] = takeBlocks(page, "json", 1)
  expect(JSON.parse((await run("status", "--json")).stdout).writer).toBe("rules")
  writeFiles(home, { "config.json": settings })
  expect(JSON.parse((await run("status", "--json")).stdout).writerProblem).toContain("needs ANTHROPIC_API_KEY")
})

test("the writers of the page are those that can be chosen", async () => {
  const { run } = warmCliIn(makeRepository({ ".squad/team.md": "# Team\n" }))
  const [commands = ""] = takeBlocks("docs/guides.md", "sh", 4)
  const { stdout } = await run("ingest", "--help")
  for (const [, name = ""] of commands.matchAll(/--writer ([a-z]+)(?= )/g)) expect(stdout).toContain(name)
  expect((await run("ingest", "--writer", "rules")).stdout).toContain("Nothing leaves this machine.")
})

test("the README shows exactly what a model is sent", () => {
  const [shown] = takeBlocks("src/learning/README.md", "text", 1)
  const events = [
    said("The date parser should accept ISO weeks. Use pnpm here, npm breaks the lockfile."),
    read("src/parse-date.ts", "80 lines"),
    edited("src/parse-date.ts"),
    ran("pnpm test", "12 passed, 1 failed", 'relation "weeks" does not exist'),
    ran("pnpm db:up", "started"),
    ran("pnpm test", "13 passed"),
    assistantSaid("The parser accepts ISO weeks now. The tests need the database: `pnpm db:up` starts it."),
  ]
  const input = inputOf(events, {
    known: [known(1, "m-4f2a91c0ffee0001", "This project uses npm.", { key: "project.package_manager" })],
    stats: { error_count: 1, tests_final_status: "passed" },
    project: "A library for dates.",
  })
  const { system, prompt } = writerPrompt(input)
  expect(shown).toBe(`${system}\n\n${prompt}\n`)
})

test("a team server's settings can be used as written, once the key is there", async () => {
  const [settings = ""] = takeBlocks("docs/team-server.md", "json", 1)
  const folder = makeRepository({ "learning.json": settings, "acme-policy.toml": policy })
  const path = join(folder, "learning.json")
  expect(() => readOrganisationLearning(path, {})).toThrow("ACME_ANTHROPIC_KEY is not set")
  const learning = readOrganisationLearning(path, { ACME_ANTHROPIC_KEY: "key" })
  expect((await learning.writerOf("acme")).id).toBe("model:anthropic/claude-haiku-4-5")
  expect((await learning.writerOf("other")).id).toBe("rules")
})

test("the policies of the page can be used as written", async () => {
  const { home, run } = warmCliIn(makeRepository({ ".squad/team.md": "# Team\n" }))
  writeFiles(home, { "memory_policy.toml": `${policy}\n${guards}` })
  const { code, stdout, stderr } = await run("policy", "reload")
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `Read ${home}/memory_policy.toml.\n`, stderr: "" })
  const inForce = (await run("policy")).stdout.replace(/\[ (.*) \]/g, "[$1]")
  for (const section of [guards, ...policy.split(/\n(?=\[)/)])
    expect(inForce).toContain(section.replace(/ #.*/, "").trim())
})

test("the project's policy is where the help of the commands says", async () => {
  const [path] = files.policy
  const cwd = makeRepository({ ".squad/team.md": "# Team\n", [path]: policy })
  expect((await warmCliIn(cwd).run("policy", "reload")).stdout).toBe(`Read ${cwd}/${path}.\n`)
})
