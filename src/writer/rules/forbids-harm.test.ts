import { expect, test } from "vitest"
import { forbidsHarm } from "./forbids-harm.ts"

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
])("%j forbids what cannot be taken back", (rule) => {
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
])("%j forbids a manner of working", (rule) => {
  expect(forbidsHarm(rule)).toBe(false)
})
