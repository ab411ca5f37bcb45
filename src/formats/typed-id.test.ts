import { expect, test } from "vitest"
import { idsMeant } from "./typed-id.ts"

const ids = ["sem-3f9a2c41d0e7", "sem-3f9a77000000", "m-4f2a91c0ffee0000", "auth", "auth-2"]

test.each([
  ["sem-3f9a2c41d0e7", ["sem-3f9a2c41d0e7"]],
  ["3f9a2", ["sem-3f9a2c41d0e7"]],
  [" [sem-3f9a2c41] ", ["sem-3f9a2c41d0e7"]],
  ["m:4f2a91", ["m-4f2a91c0ffee0000"]],
  ["4f2a91", ["m-4f2a91c0ffee0000"]],
  ["3f9a", ["sem-3f9a2c41d0e7", "sem-3f9a77000000"]],
])("%s means %j", (typed, meant) => {
  expect(idsMeant(typed, ids)).toEqual(meant)
})

test("an id that is spelled out is meant alone, also where it begins another", () => {
  expect(idsMeant("auth", ids)).toEqual(["auth"])
})

test.each(["", "sem-", "m:", "3f9", "sem-3f9", "9a2c"])("%j means nothing", (typed) => {
  expect(idsMeant(typed, ids)).toEqual([])
})
