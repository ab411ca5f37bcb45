import { expect, test } from "vitest"
import { startFakeTeamServer } from "../src/server/client/test-server.ts"
import { testTeamMemory } from "../src/server/client/test-team-memory.ts"
import { commandsIn, takeBlocks, wordsOf } from "./doc-blocks.ts"
import { learningPlace, say } from "./learning-place.ts"
import { runWarm } from "./warm-cli.ts"

test("the commands of the page for members print what it says, with a server on loopback", async () => {
  const server = await startFakeTeamServer()
  const kim = learningPlace()
  say(kim, "we use pnpm here, not npm")
  await kim.run("ingest")
  const [own] = kim.rows<{ memory_id: string }>("SELECT memory_id FROM memories")
  const place = { scope: "global", project: null } as const
  server.put(testTeamMemory("first", place))
  for (const { line, printed: expected } of commandsIn(takeBlocks("docs/team.md", "console", 6))) {
    if (line.startsWith("drey team episodes"))
      for (const { id } of kim.rows<{ id: string }>("SELECT project_id AS id FROM projects")) server.agreed.add(id)
    if (line === "drey team sync") {
      const text = "Never run the tests against the staging database."
      server.put(testTeamMemory("second", { ...place, kind: "guard", polarity: -1, text, contributedBy: "Ada" }))
    }
    const [program, ...words] = wordsOf(line.replace(/ <.*/, ""))
    expect(program).toBe("drey")
    const args = words.map((word) =>
      word.startsWith("https://") ? server.url : word.startsWith("m:") ? (own?.memory_id ?? "") : word,
    )
    const { stdout, stderr } = await runWarm(args, { cwd: kim.root, env: kim.env, input: "token-of-kim\n" })
    const printed = stderr.replace(/^1 result\n/, "") + stdout
    const known = printed.replaceAll(server.url, "https://drey.example.com").replaceAll(kim.root, "/home/kim/shop")
    expect([line, withoutChance(known)]).toEqual([line, withoutChance(expected)])
  }
})

/** What differs from run to run: ids of memories, and the time of a sync. */
function withoutChance(text: string): string {
  return text
    .replace(/m:[0-9a-f]{4,16}/g, "m:HANDLE")
    .replace(/m-[0-9a-f]{16}/g, "m-ID")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
}
