import { expect, test } from "vitest"
import type { OpenStore } from "./store-contract.ts"
import { add, learn, learnOne, minute, testEpisode, testEvent, update, wordEmbedder } from "./test-store.ts"

/** What is left of memories that a person wants gone, and what does not come in. */
export function testForgetting(told: (behaviour: string) => string, open: OpenStore): void {
  const purge = { purge: true, reason: "private", now: minute(60) }

  test(
    told("the words of a purged memory are taken out of what it was learned from, and nothing else is"),
    async () => {
      const store = await open()
      const text = "Deploy from the zebra cluster only."
      const events = [
        testEvent({ id: "1", line: 1, summary: "Show the sum of all rows" }),
        testEvent({ id: "2", line: 2, summary: "from now on", raw_snippet: "deploy from the zebra cluster only" }),
        testEvent({ id: "3", line: 3, role: "assistant", summary: `Understood: ${text}` }),
        testEvent({
          id: "4",
          line: 4,
          role: "tool",
          kind: "tool_result",
          summary: "ok",
          command: "make",
          head: "make",
        }),
      ]
      const evidence = { source: "explicit_statement" as const, frustration: "none" as const, event: 1 }
      const [id, other] = (
        await learn(store, "a", [add(text, { evidence }), add("Use pnpm", { evidence })], { episode: { events } })
      ).map((outcome) => ("id" in outcome ? outcome.id : ""))
      expect(await store.forget([id ?? ""], purge)).toEqual([id])
      const left = await store.episode(testEpisode("a").id)
      expect(left?.events.map(({ summary }) => summary)).toEqual(["Show the sum of all rows", "", "", "ok"])
      expect(left?.events[3]).toMatchObject({ command: "make", head: "make" })
      expect((await store.history(other ?? "")).evidence).toMatchObject([{ quote: "", line: 2 }])
      expect(JSON.stringify(left)).not.toContain("zebra")
    },
  )

  test(told("a purged memory takes the words with it that it refined"), async () => {
    const store = await open({ embed: wordEmbedder })
    const text = "Run the integration tests with the database container up and migrated"
    const old = await learnOne(store, "a", add(text))
    const id = await learnOne(store, "b", update(old, `${text} and seeded`))
    expect(await store.forget([id], purge)).toEqual([id])
    expect(await store.memories({})).toEqual([])
    expect(await learn(store, "c", [add(text)])).toEqual([{ kind: "dropped", reason: "the user has forgotten it" }])
  })

  test(told("an import with a secret in its key or path, or with what is neither, is passed over"), async () => {
    const store = await open()
    const [known] = await store.find(await learnOne(store, "a", add("One")))
    if (!known) throw new Error("nothing was learned")
    const token = `ghp_${"a1b2c3d4e5".repeat(4).slice(0, 36)}`
    const place = { scope: "repo_path" as const }
    const imports = [
      { key: `project.${token}` },
      { key: "anything" },
      { ...place, pathPrefix: `src/${token}` },
      { ...place, pathPrefix: "../x" },
      { ...place, pathPrefix: "src\\web\\", key: "Project.Test.Command" },
    ].map((given, at) => ({ ...known, text: `Text ${at}`, id: `m-00000000000000b${at}`, ...given }))
    expect(await store.importMemories(imports, minute(50))).toEqual(["m-00000000000000b4"])
    expect(await store.find("m-00000000000000b4")).toMatchObject([
      { pathPrefix: "src/web", key: "project.test.command" },
    ])
  })
}
