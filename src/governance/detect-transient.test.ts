import { expect, test } from "vitest"
import { isTransient } from "./detect-transient.ts"

test("a statement about a current run is transient", () => {
  for (const text of [
    "CI failed on main",
    "CI failed on the release branch",
    "PR #12 is green now",
    "The build is broken",
    "Build failed.",
    "build passed",
    "CI is red again",
    "CI status: failed",
    "The pipeline is still running",
    "Pull request #4 is blocked",
    "All tests are passing on main",
    "Waiting for CI. PR #7 is still pending.",
    "Rerunning the pipeline",
    "3 of 9 checks failed",
    "main is green",
  ]) {
    expect({ text, transient: isTransient(text) }).toEqual({ text, transient: true })
  }
})

test("a rule, a lesson or a report that mentions runs is durable", () => {
  for (const text of [
    "PR status check is required",
    "CI must pass before merge",
    "Never merge when CI is red",
    "CI failed on main because the cache key lacked the lock file's hash",
    "Retry the upload if the build failed with a 502",
    "CI hygiene review scheduled",
    "Interested in build velocity",
    "Use pnpm for CI builds",
    "Failed tests are kept for 30 days",
    "We run the build on every push. The build failed once on Windows. Paths there need forward slashes.",
    "Open source builds use the public runner",
    "Decided to adopt TypeScript strict mode",
  ]) {
    expect({ text, transient: isTransient(text) }).toEqual({ text, transient: false })
  }
})

test("a long report is not transient for one status line in it", () => {
  expect(isTransient(`Build passed.\n${"The parser now keeps comments and line ends. ".repeat(12)}`)).toBe(false)
})
