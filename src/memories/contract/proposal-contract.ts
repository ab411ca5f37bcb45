import { expect, test } from "vitest"
import { add, learn, learnOne, minute, testCommit, testEvent } from "../test-store.ts"
import type { OpenStore } from "./store-contract.ts"

/** How a writer's text becomes a memory. */
export function testProposals(told: (behaviour: string) => string, open: OpenStore): void {
  test(told("the owner is the caller; a team's name makes it a suggestion to share"), async () => {
    const store = await open()
    const team = { owner: { type: "team" as const, id: "core" } }
    await learn(store, "a", [add("One", team), add("Two", { owner: { type: "user", id: "somebody else" } })])
    expect((await store.memories({})).map(({ owner, flags }) => [owner.id, flags]).sort()).toEqual([
      ["kim", []],
      ["kim", ["share"]],
    ])
    const { policy } = testCommit("b", [])
    await learn(store, "b", [add("Three", team)], { commit: { policy: { ...policy, allowTeam: true } } })
    expect(await store.memories({ owner: team.owner })).toMatchObject([{ text: "Three", flags: [] }])
  })

  test(told("a guard is a warning, and needs a user's words or a frustrating failure"), async () => {
    const store = await open()
    const guard = (
      source: "pattern_observed" | "failure_then_success" | "user_correction",
      frustration: "mild" | "moderate",
    ) =>
      add(`Never force-push: ${source}, ${frustration}`, {
        kind: "guard",
        tier: "emergency",
        polarity: 1,
        evidence: { source, frustration },
      })
    await learn(store, "a", [
      guard("pattern_observed", "moderate"),
      guard("failure_then_success", "mild"),
      guard("failure_then_success", "moderate"),
      guard("user_correction", "mild"),
    ])
    const made = new Map(
      (await store.memories({})).map(({ text, kind, tier, polarity }) => [text.slice(18), [kind, tier, polarity]]),
    )
    expect(made.get("pattern_observed, moderate")).toEqual(["pattern", "short_term", -1])
    expect(made.get("failure_then_success, mild")).toEqual(["pattern", "short_term", -1])
    expect(made.get("failure_then_success, moderate")).toEqual(["guard", "emergency", -1])
    expect(made.get("user_correction, mild")).toEqual(["guard", "emergency", -1])
  })

  test(
    told("a text that governance refuses is dropped with only the rule's name; a redacted one is stored redacted"),
    async () => {
      const store = await open()
      const secret = `AKIA${"IOSFODNN7EXAMPL3"}`
      const outcomes = await learn(store, "a", [
        add(`The key is ${secret}.`),
        add("Ask jamie.rivera@example.org about deploys."),
        add("Zero\u200bwidth\u202e and\nnew   lines\u0007"),
        add(" \u200b "),
        add("Sure?", { confidence: 0.39 }),
        add("Sure?", { confidence: Number.NaN }),
      ])
      expect(outcomes.map(({ kind }) => kind)).toEqual(["dropped", "added", "added", "dropped", "dropped", "dropped"])
      expect(JSON.stringify(outcomes)).not.toContain(secret)
      expect((await store.memories({})).map(({ text }) => text).sort()).toEqual([
        "Ask [email] about deploys.",
        "Zerowidth and new lines",
      ])
    },
  )

  test(told("a key and a path are checked by governance too, and left out if refused"), async () => {
    const store = await open()
    const token = `ghp_${"a1b2c3d4e5".repeat(4).slice(0, 36)}`
    await learn(store, "a", [
      add("One", { key: `project.${token}` }),
      add("Two", { scope: "repo_path", pathPrefix: `src/${token}` }),
      add("Three", { scope: "repo_path", pathPrefix: "src/jamie.rivera@example.org" }),
      add("Four", { key: "team.name" }),
    ])
    const memories = await store.memories({})
    expect(memories.map(({ key, pathPrefix }) => [key, pathPrefix])).toEqual(Array(4).fill([undefined, undefined]))
  })

  test(told("a text is cut at 300 characters, not in the middle of one"), async () => {
    const store = await open()
    await learn(store, "a", [add("🦊 ".repeat(200))])
    const [memory] = await store.memories({})
    const points = [...(memory?.text ?? "")]
    expect(points.length).toBeLessThanOrEqual(300)
    expect(points.at(-1)).toBe("…")
    expect(memory?.text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
  })

  test(told("an address is removed before the text is cut, so that no half of it is left"), async () => {
    const store = await open()
    await learn(store, "a", [add(`${"so ".repeat(97)}jamie.rivera@example.org`)])
    const [memory] = await store.memories({})
    expect(memory?.text).not.toContain("jamie")
    expect(memory?.text).toMatch(/\[email\]$/)
  })

  test(told("a path is relative to the repository; without one, the folder of the edited files counts"), async () => {
    const store = await open()
    const edit = (file: string) => testEvent({ role: "tool", kind: "tool_call", action: "edit", file })
    const prefixes = async (id: string, prefix: string | undefined, files: string[]) => {
      const given = { scope: "repo_path" as const, ...(prefix === undefined ? {} : { pathPrefix: prefix }) }
      const [memory] = await store.find(await learnOne(store, id, add(id, given), { events: files.map(edit) }))
      return [memory?.scope, memory?.pathPrefix]
    }
    expect(await prefixes("a", "./packages/api/", [])).toEqual(["repo_path", "packages/api"])
    expect(await prefixes("b", "packages\\api", [])).toEqual(["repo_path", "packages/api"])
    for (const outside of ["../other", "/etc", "C:/x", "~/x", "", "src/../.."])
      expect(await prefixes(`c${outside}`, outside, [])).toEqual(["project", undefined])
    expect(await prefixes("d", undefined, ["src/api/a.ts", "src/api/v2/b.ts"])).toEqual(["repo_path", "src/api"])
    expect(await prefixes("e", undefined, ["src/a.ts", "lib/b.ts"])).toEqual(["project", undefined])
    expect(await prefixes("f", undefined, ["README.md"])).toEqual(["project", undefined])
  })

  test(told("a memory lives as long as stated, otherwise as long as its tier"), async () => {
    const store = await open()
    const days = async (id: string, given: Parameters<typeof add>[1]) => {
      const [memory] = await store.find(await learnOne(store, id, add(id, given)))
      return memory?.expires === undefined
        ? undefined
        : (Date.parse(memory.expires) - Date.parse(minute(30))) / 86_400_000
    }
    expect(await days("a", {})).toBe(30)
    expect(await days("b", { tier: "emergency", kind: "guard" })).toBe(7)
    expect(await days("c", { tier: "long_term" })).toBeUndefined()
    expect(await days("d", { ttlDays: null })).toBeUndefined()
    expect(await days("e", { ttlDays: 0 })).toBe(1)
    expect(await days("f", { ttlDays: 5000, tier: "long_term" })).toBe(365)
  })
}
