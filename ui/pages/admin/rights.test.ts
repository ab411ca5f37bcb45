import { expect, test } from "vitest"
import { rolesToGive, scopesFor, tabsFor } from "./rights.ts"

test("members and viewers see who is there and their own tokens, and nothing to administrate", () => {
  expect(tabsFor("member")).toEqual(["members", "tokens"])
  expect(tabsFor("viewer")).toEqual(["members", "tokens"])
  expect(tabsFor("admin")).toContain("audit")
})

test("only an owner makes owners or changes one, and the last owner stays", () => {
  expect(rolesToGive("owner", { role: "member", isLastOwner: false })).toContain("owner")
  expect(rolesToGive("admin", { role: "member", isLastOwner: false })).toEqual(["admin", "member", "viewer"])
  expect(rolesToGive("admin", { role: "owner", isLastOwner: false })).toEqual([])
  expect(rolesToGive("owner", { role: "owner", isLastOwner: true })).toEqual([])
  expect(rolesToGive("member", { role: "viewer", isLastOwner: false })).toEqual([])
})

test("a token is good for no more than its member may do", () => {
  expect(scopesFor("viewer")).toEqual(["read"])
  expect(scopesFor("member")).toEqual(["read", "write"])
  expect(scopesFor("admin")).toEqual(["read", "write", "admin"])
})
