import { expect, test } from "vitest"
import { rolesToGive, roleWith, scopesFor, tabsFor } from "./rights.ts"

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

test("who has signed in with a token may do no more than it is good for", () => {
  expect(roleWith("owner", ["read", "write", "admin"])).toBe("owner")
  expect(roleWith("owner", ["read", "write"])).toBe("member")
  expect(roleWith("admin", ["read"])).toBe("viewer")
  expect(roleWith("viewer", ["read"])).toBe("viewer")
})
