import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { openDrey } from "../src/drey.ts"
import { makeRepository } from "./run-cli.ts"
import { doubledOnDisk, entriesOnDisk } from "./session-on-disk.ts"
import { startChild } from "./start-child.ts"

/** Of each process; `npm run test:long` asks for 50. */
const appends = Number(process.env.DREY_APPENDS ?? 5)
const processes = process.env.DREY_APPENDS ? 16 : 8
const drey = JSON.stringify(pathToFileURL(join(import.meta.dirname, "../dist/index.js")).href)

/** A process that appends to a session and says the words of each entry once it is stored; every third of them also archives what is due. */
const writer = `
import { openDrey } from ${drey}
const [root, id, name, count] = process.argv.slice(2)
const session = await openDrey({ root, warn: () => {} }).sessions.open(id)
const agent = Number(name) % 2 === 0 ? "developer" : "tester"
for (let number = 0; number < Number(count); number++) {
  const words = \`Entry \${number} of process \${name}\`
  const long = words + " says at length what it is about.".repeat(${24_000 / (processes * appends)})
  if (number % 5 === 1) {
    const { attempt } = await session.startAttempt(agent, { description: words, approach: long })
    await session.finishAttempt(attempt.id, { result: "failure", error: long }, { agent })
  } else if (number % 5 === 2) await session.addDecision(agent, { type: "implementation", description: words, reasoning: long })
  else if (number % 5 === 3) await session.addMessage({ agent, role: "assistant", content: words })
  else await session.addDiscovery(agent, { type: "code_pattern", content: long, summary: words })
  if (Number(name) % 3 === 0 && number % 5 === 4) await session.archive()
  process.stdout.write(words + "\\n")
}
`

test(
  "processes that append to one session side by side, archiving meanwhile, lose nothing and double nothing",
  async () => {
    const root = makeRepository({ ".squad/team.md": "# Team\n" })
    const { id, folder } = await openDrey({ root }).sessions.start({
      task: "Write side by side",
      agent: "developer",
    })
    const script = join(makeRepository({ "child.mjs": writer }), "child.mjs")
    const children = Array.from({ length: processes }, (_, name) =>
      startChild(script, root, id, String(name), String(appends)),
    )
    const acknowledged = (await Promise.all(children.map(linesOf))).flat()
    expect(children.map(({ errors }) => errors()).filter((text) => text !== "")).toEqual([])
    expect(acknowledged).toHaveLength(processes * appends)

    const entries = entriesOnDisk(folder)
    const { messages } = parse(readFileSync(join(folder, "conversation.yaml"), "utf8"))
    const said = messages.map(({ content }: { content: string }) => content)
    const noted = entries.map(({ values }) => values.summary ?? values.description)
    expect([...noted, ...said].sort()).toEqual(acknowledged.sort())
    expect(doubledOnDisk(folder)).toEqual([])
    expect(new Set(messages.map((message: { id: string }) => message.id)).size).toBe(messages.length)
    expect(entries.filter(({ section, values }) => section === "attempts" && values.result !== "failure")).toEqual([])
    expect(new Set(entries.map(({ file }) => file))).toEqual(
      new Set([
        "agent-memory.yaml",
        "agent-memory.tester.yaml",
        "agent-memory-archive.yaml",
        "agent-memory-archive.tester.yaml",
      ]),
    )

    const session = await openDrey({ root }).sessions.open(id)
    expect(await openDrey({ root }).sessions.validate()).toMatchObject({ errors: 0 })
    const fifth = (processes * appends) / 5
    const counts = { discoveries: 2 * fifth, attempts: fifth, decisions: fifth, failures: fifth }
    expect((await session.metadata()).counts).toEqual(counts)
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp") || name.includes("corrupt"))).toEqual([])
  },
  120_000 + appends * 12_000,
)

/** All that a process prints until it ends. */
async function linesOf(child: ReturnType<typeof startChild>): Promise<string[]> {
  const lines: string[] = []
  for (let line = await child.nextLine(); line !== undefined; line = await child.nextLine()) lines.push(line)
  await child.ended
  return lines
}
