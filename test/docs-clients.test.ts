import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { takeBlocks } from "./doc-blocks.ts"
import { dreyOnPath } from "./drey-on-path.ts"
import { environmentOf, makeRepository, readTree } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

test("the commands of the page connect the clients it lists, and restore every byte", async () => {
  const home = makeRepository({ ".claude/settings.json": "{}\n" })
  const cwd = makeRepository({ ".claude/settings.json": "{}\n" })
  const env = environmentOf({ HOME: home, DREY_HOME: `${makeRepository({})}/.drey`, PATH: dreyOnPath() })
  await runWarm(["init", "--skip-history"], { cwd, env })
  const before = [readTree(cwd), readTree(home)]
  const [block = ""] = takeBlocks("docs/clients.md", "sh", 1)
  const run = (line: string) => {
    const asksFirst = /^drey connect(?! --dry-run)/.test(line)
    const [command = ""] = line.split(/ +#/)
    const script = asksFirst ? `${command} --yes` : command
    const { status, stdout, stderr } = spawnSync("sh", ["-c", script], { cwd, env, encoding: "utf8" })
    expect({ line, status, stderr }).toEqual({ line, status: 0, stderr: "" })
    return stdout
  }
  const [look = "", found = "", named = "", rules = "", check = "", back = "", ...more] = block.trimEnd().split("\n")
  expect(run(look)).toContain("+ .mcp.json")
  expect([readTree(cwd), readTree(home)]).toEqual(before)
  run(found)
  expect(Object.keys(readTree(cwd))).toContain(".mcp.json")
  expect(Object.keys(readTree(cwd))).not.toContain(".codex/config.toml")
  run(named)
  expect(Object.keys(readTree(cwd))).toContain(".codex/config.toml")
  run(rules)
  expect(readTree(cwd)["AGENTS.md"]).toContain("<!-- drey:begin -->")
  expect(run(`${check.split(/ +#/)[0]} --verbose`)).toMatch(
    /^✅ client Claude Code: connected.*\n✅ client Codex: connected/m,
  )
  run(back)
  expect([readTree(cwd), readTree(home)]).toEqual(before)
  expect(more).toEqual([])
})
