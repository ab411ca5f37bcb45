import { expect, test } from "vitest"
import { matchIds, parseMemoryKey, taskHashOf } from "./ids.ts"

const ids = ["sem-3f9a2c41d0e7", "sem-3f9a77000000", "m-4f2a91c0ffee0000", "auth", "auth-2"]

test.each([
  ["sem-3f9a2c41d0e7", ["sem-3f9a2c41d0e7"]],
  ["3f9a2", ["sem-3f9a2c41d0e7"]],
  [" [sem-3f9a2c41] ", ["sem-3f9a2c41d0e7"]],
  ["m:4f2a91", ["m-4f2a91c0ffee0000"]],
  ["4f2a91", ["m-4f2a91c0ffee0000"]],
  ["3f9a", ["sem-3f9a2c41d0e7", "sem-3f9a77000000"]],
  ["m:4", ["m-4f2a91c0ffee0000"]],
  ["4", ["m-4f2a91c0ffee0000"]],
  ["sem-3f9a7", ["sem-3f9a77000000"]],
])("%s matches %j", (typed, meant) => {
  expect(matchIds(typed, ids)).toEqual(meant)
})

test("an exact id matches only itself, even if it is a prefix of another", () => {
  expect(matchIds("auth", ids)).toEqual(["auth"])
})

test.each(["", "sem-", "m:", "9a2c"])("%j matches nothing", (typed) => {
  expect(matchIds(typed, ids)).toEqual([])
})

test.each([
  ["project.package_manager", "project.package_manager"],
  [" User.Pref.Test_Style ", "user.pref.test_style"],
  ["project.db.engine.version", "project.db.engine.version"],
])("%j is the key %s", (text, key) => expect(parseMemoryKey(text)).toBe(key))

test.each(["project", "team.name", "project.a.b.c.d", "project.9", "project..a", "project.a-b", "my key'; --", ""])(
  "%j is not a key",
  (text) => expect(parseMemoryKey(text)).toBeUndefined(),
)

test("white space and case do not make another task, other words do", () => {
  expect(taskHashOf("  Use\n tabs ")).toBe(taskHashOf("use tabs"))
  expect(taskHashOf("use spaces")).not.toBe(taskHashOf("use tabs"))
})
