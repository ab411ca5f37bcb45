import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { allCommands } from "./all-commands.ts"
import { openExamplePlace } from "./example-place.ts"

/** Commands that serve, or that only other programs call: these tests run them. */
const elsewhere: Record<string, string> = {
  demo: "test/demo.test.ts",
  ui: "test/ui-command.test.ts",
  watch: "test/watch.test.ts",
  mcp: "test/mcp-server.ts",
  "merge-driver": "test/merge-driver.test.ts",
  "learn sync": "test/machine-sync.test.ts",
  "team serve": "test/team-serve.test.ts",
  "team migrate": "docs/team-server.md",
  "team org create": "docs/team-server.md",
  "team invite-owner": "test/team-serve.test.ts",
  "team verify-audit": "test/team-serve.test.ts",
}

/** What is answered with no here, and why. */
const answeredNo: Record<string, string> = {
  "drey why src/login.ts:12": "the file of the sample is not committed",
  "drey validate --staged --strict": "decisions of the sample lack a rationale",
}

const examples = (await allCommands()).map(({ name, examples: lines }) => ({ command: name, lines }))

test("every command has examples, and those that cannot be run here are run by another test", () => {
  expect(examples.length).toBeGreaterThan(80)
  for (const { command, lines } of examples)
    expect(lines.join("\n"), command).toMatch(new RegExp(`\\bdrey ${command}\\b`))
  for (const [command, file] of Object.entries(elsewhere)) {
    expect(examples.map((each) => each.command)).toContain(command)
    const words = command.split(" ").map((word) => `"${word}"`)
    const source = readFileSync(join(import.meta.dirname, "..", file), "utf8")
    const isThere = file.endsWith(".md") ? source.includes(`\n$ drey ${command}`) : source.includes(words.join(", "))
    expect(isThere, `${file}: ${command}`).toBe(true)
  }
})

test("the examples of every command do something, one after the other in the demo's repository", {
  timeout: 300_000,
}, async () => {
  const place = await openExamplePlace()
  const failed: string[] = []
  const worked = new Set<string>()
  const here = examples.filter(({ command }) => !Object.hasOwn(elsewhere, command))
  for (const { command, lines } of here)
    for (const line of lines) {
      const { code, stdout, stderr } = await place.run(line)
      const wantsYes = code === 1 && stderr.includes("with --yes") // there is no terminal to ask on
      if (code === 0) worked.add(command)
      else if (!wantsYes && !(code === 1 && Object.hasOwn(answeredNo, line)))
        failed.push(`${line}\n  ${code}: ${stderr}${stdout.slice(0, 1500)}`)
    }
  expect(failed).toEqual([])
  expect(here.map(({ command }) => command).filter((command) => !worked.has(command))).toEqual([])
})
