import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { cliIn, makeRepository } from "./run-cli.ts"

const project = resolve(import.meta.dirname, "..")
const page = readFileSync(join(project, "docs", "sessions.md"), "utf8")

test("the run of two agents prints what the page says", async () => {
  const root = makeRepository({ ".squad/team.md": "# Team\n" })
  const { run } = cliIn(root)
  const commands = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
    block.split(/^(?=\$ drey )/m),
  )
  expect(commands.length).toBeGreaterThan(10)
  const [, idOnPage = ""] = /^(\d{8}-\d{6}-[0-9a-f]{8}-[a-z-]+)$/m.exec(page) ?? []
  let id: string | undefined
  for (const shown of commands) {
    const [line = "", ...expected] = shown.split("\n")
    const { stdout, stderr } = await run(
      ...wordsOf(line.slice("$ drey ".length)).map((word) => (word === idOnPage ? (id ?? "") : word)),
    )
    id ??= stdout.trim()
    const printed = (stdout + stderr).replaceAll(id, idOnPage).replaceAll(`${root}/`, "")
    expect(`${line}\n${withoutChance(printed)}`).toBe(`${line}\n${withoutChance(expected.join("\n"))}`)
  }
})

/** The words of a command line as a shell would hand them over. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")
}

/** What a run takes from the day it happens on. */
function withoutChance(text: string): string {
  return text.replace(/plan-\d{8}/g, "plan-DAY").replace(/session-[0-9a-f]{12}/g, "session-HASH")
}
