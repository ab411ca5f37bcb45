import { expect, test } from "vitest"
import { makeRoster } from "../formats/legacy/roster.ts"
import { isDirective } from "./team-rules.ts"

test.each([
  "Always use single quotes.",
  "Never commit directly to main.",
  "never push without running the tests",
  "From now on, every PR needs a changelog entry.",
  "Please, from now on write the tests first.",
  "Going forward we deploy on Tuesdays only.",
  "We don't use default exports here.",
  "We do not mock the database.",
  "We never merge on a red build.",
  "We only target Node 20 and later.",
  "Everyone must sign their commits.",
  "Don't ever rebase a shared branch.",
  "Do not merge without a review.",
  "Stop using moment in new code.",
  "Avoid using any in TypeScript.",
  "No default exports in this repo.",
  "Prefer composition over inheritance.",
  "Use pnpm instead of npm.",
  "We use tabs, not spaces.",
  "All endpoints must return JSON.",
  "Commit messages should start with the area.",
  "File names are always kebab-case.",
  "Name branches after the issue they close.",
  "Tests go in the folder of the module they test.",
  "Keep functions under 40 lines.",
  "Mobile is out of scope for the first release.",
  "In this repo, dates are ISO 8601.",
  "Whenever you touch a migration, ask Rook first.",
  "Make sure every public function has a comment.",
  "The build is slow. Anyway: always run the linter before you push.",
])("%s is a directive", (text) => {
  expect(isDirective(text)).toBe(true)
})

test.each([
  "Add a login page.",
  "Fix the flaky test in the parser.",
  "Please refactor the queue module.",
  "Wren, write the tests for the index.",
  "Can you always run the linter?",
  "Should we use tabs or spaces?",
  "Why do we never deploy on Fridays?",
  "What is the rule for branch names?",
  "Do we always need a review?",
  "Never mind, it works now.",
  "It always fails on the second run.",
  "We don't know why the build is red.",
  "We don't have a staging server yet.",
  "We never got an answer from them.",
  "I don't understand this error.",
  "The tests passed.",
  "Deploy the new version to staging.",
  "Look at the logs of yesterday and tell me what happened.",
  "Rook, please review the pull request of Wren.",
  "Update the README with the new command.",
  "Thanks, that looks good.",
  "Use the index from yesterday for this.",
  "Don't do that yet.",
  "Show me the last five decisions.",
  "Never touch that file.",
  "Always squash the commits of this branch.",
  "We don't merge this PR.",
  "Do not push anything directly for now.",
  "You must never use the old parser.",
  "You always write the tests.",
  "The always-on mode is broken.",
  "",
])("%s is not a directive", (text) => {
  expect(isDirective(text)).toBe(false)
})

const roster = makeRoster(["Kane", "Rook", "scribe"])

test.each([
  "Kane, never touch that file in this PR",
  "Kane, never commit directly to main.",
  "kane: always run the linter",
  "@kane never push without running the tests",
  "Hey Rook, from now on write the tests first.",
  "Rook, look at the build. Never push on red.",
])("%s is for one agent, so it is not a directive", (text) => {
  expect(isDirective(text, roster)).toBe(false)
})

test.each([
  "Scribe, we never merge on a red build.",
  "Team: always run the linter before you push.",
  "Always ask Kane before a migration.",
  "Never push on red. Kane, look at the build.",
  "From today on, all endpoints must return JSON.",
])("%s is for everyone", (text) => {
  expect(isDirective(text, roster)).toBe(true)
})
