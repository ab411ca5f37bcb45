import { expect, test } from "vitest"
import { canaries } from "../../../test/canaries.ts"
import { openTeam } from "../../../test/team-store.ts"

test("results of governed memory and of the index are one list, without duplicates", async () => {
  const { drey } = openTeam()
  const memory = drey.governed
  const stored = await memory.write({ content: "The login queue blocks at noon", class: "LOCAL" })
  const outcome = await drey.search.everything({ text: "login", limit: 10 })
  const hits = outcome.kind === "found" ? outcome.hits : []
  expect(hits.map(({ title }) => title).sort()).toEqual(["Log in with short tokens", "The login queue blocks at noon"])
  expect(hits.find(({ id }) => stored.stored && id === stored.id)).toMatchObject({ class: "LOCAL", source: "memory" })
  expect(hits.find(({ source }) => source === "decisions")).toMatchObject({ class: "DECISION" })
})

test("every search is audited, without its words", async () => {
  const { drey } = openTeam()
  await drey.search.everything({ text: "elevator", limit: 10 })
  const audit = await drey.governed.audit()
  expect(audit.map(({ action }) => action)).toEqual(["search"])
  expect(JSON.stringify(audit)).not.toContain("elevator")
})

test("a query with a secret is refused by its rule and not searched", async () => {
  const { drey } = openTeam()
  const secret = canaries["access token"]["GitHub ghp"]?.() ?? ""
  const outcome = await drey.search.everything({ text: `login ${secret}`, limit: 10 })
  expect(outcome).toEqual({ kind: "refused", reason: "Rejected as forbidden memory: access token" })
})

test("archived entries are found, and never more than the limit", async () => {
  const { drey } = openTeam()
  const titles = async (text: string, more = {}) => {
    const outcome = await drey.search.everything({ text, limit: 10, ...more })
    return outcome.kind === "found" ? outcome.hits.map(({ title }) => title) : []
  }
  expect(await titles("punch cards")).toEqual(["Use punch cards"])
  expect(await titles("source:history", { limit: 1 })).toHaveLength(1)
})
