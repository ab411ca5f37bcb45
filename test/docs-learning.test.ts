import { expect, test } from "vitest"
import { files } from "../src/cli/help/topics.ts"
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
