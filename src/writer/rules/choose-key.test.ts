import { expect, test } from "vitest"
import { chooseKey } from "./choose-key.ts"

test.each([
  ["This project uses pnpm, not npm.", "project.package_manager"],
  ["Use Vitest instead of Jest.", "project.test.framework"],
  ["Never use npm, use pnpm.", "project.package_manager"],
  ["We prefer Drizzle over Prisma.", "project.db.orm"],
  ["This project uses Postgres for everything.", "project.db.engine"],
])("%j is about %s", (rule, key) => {
  expect(chooseKey(rule, false)).toBe(key)
})

test.each([
  "Never use npm.", // what to use instead is not said
  "Use jest or vitest.",
  "Always run `npm test` before a commit.",
  "Always run pnpm lint before a commit.",
  "This project uses Postgres with Drizzle.",
  "The build must stay green.",
])("%j chooses nothing that has a key", (rule) => {
  expect(chooseKey(rule, false)).toBeUndefined()
})

test("a taste has a key only as the user's own", () => {
  expect(chooseKey("The user prefers short comments.", true)).toBe("user.pref.comment_style")
  expect(chooseKey("This project uses short comments.", false)).toBeUndefined()
})
