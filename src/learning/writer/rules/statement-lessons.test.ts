import { expect, test } from "vitest"
import { chooseKey, forbidsHarm } from "./statement-lessons.ts"

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

test("a preference has a key only as the user's own", () => {
  expect(chooseKey("The user prefers short comments.", true)).toBe("user.pref.comment_style")
  expect(chooseKey("This project uses short comments.", false)).toBeUndefined()
})

test.each([
  "Never push to main.",
  "Never commit directly to main; open a pull request.",
  "Don't merge into master without a review.",
  "Never force-push.",
  "Never use git push --force on shared branches.",
  "Never run rm -rf outside the build folder.",
  "Never drop tables by hand.",
  "Do not delete customer data.",
  "Never wipe the database.",
  "Never deploy to production on a Friday.",
  "Never run migrations against production.",
  "Never commit secrets.",
  "Never print the contents of .env files.",
  "Never log customer names.",
  "Never publish packages without asking the user.",
  "Never email customers from tests.",
  "Never run `terraform apply` yourself.",
])("%j forbids something irreversible", (rule) => {
  expect(forbidsHarm(rule)).toBe(true)
})

test.each([
  "Never put business logic in the main function.",
  "No console logs in production code.",
  "Never mock the database.",
  "Never use default exports.",
  "Never drop the trailing comma.",
  "Never force a type with a cast.",
  "Never reset mocks by hand.",
  "Never release a lock outside a finally block.",
  "Never import from the main entry point.",
  "Never truncate titles.",
  "Never use passwords as test names.",
])("%j forbids a way of working", (rule) => {
  expect(forbidsHarm(rule)).toBe(false)
})
