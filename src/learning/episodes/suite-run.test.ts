import { expect, test } from "vitest"
import { unwrapCommands } from "../../formats/shell-command.ts"
import { readTestRun } from "./suite-run.ts"
import { testEvent } from "./test-events.ts"

function verdict(command: string, text: string, exitCode?: number, tool = "Bash") {
  const result = testEvent({ role: "tool", kind: "tool_result", tool, action: "run", command, text })
  if (exitCode !== undefined) result.exitCode = exitCode
  return readTestRun(result, unwrapCommands(command))?.verdict
}

test.each([
  "npm test",
  "npm t",
  "npm run test:unit -- --run",
  "pnpm --filter web test",
  "pnpm vitest run",
  "yarn test:e2e",
  "bun test src/",
  "bun run test",
  "npx vitest run",
  "npx jest --ci",
  "npx mocha",
  "node --test",
  "deno test -A",
  "npx playwright test",
  "pytest -q",
  "uv run pytest",
  "poetry run python -m pytest",
  "python -m unittest",
  "python manage.py test",
  "go test ./...",
  "cd api && env CGO_ENABLED=0 go test -race ./...",
  "cargo test",
  "cargo nextest run",
  "dotnet test",
  "mvn -q test",
  "./gradlew test",
  "./gradlew :app:testDebugUnitTest",
  "bundle exec rspec",
  "vendor/bin/phpunit",
  "mix test",
  "ctest --test-dir build",
  "make test",
  "make check",
  "just test",
  "mise run test:ci",
  "flutter test",
  "swift test",
  "time npm test",
  "timeout 300 npm test",
  "./run_tests.sh",
  "Invoke-Pester ./tests",
])("%s runs tests, and its exit code is their result", (command) => {
  expect(verdict(command, "", 0)).toBe("passed")
  expect(verdict(command, "", 1)).toBe("failed")
})

test.each([
  "npm run build",
  "npm run typecheck",
  "vitest --version",
  "pytest --collect-only",
  "cargo test --no-run",
  "npm test -- --help",
  "test -f package.json",
  "cat test.log",
  'git commit -m "npm test"',
  "grep -rn 'go test' .",
  "echo npm test",
])("%s runs no tests", (command) => {
  expect(verdict(command, "", 0)).toBeUndefined()
})

const summaries: [string, string, string][] = [
  [" Test Files  1 passed (1)\n      Tests  4 passed (4)", " Tests  1 failed | 3 passed (4)", "npx vitest run | tail"],
  [
    "Tests:       6 passed, 6 total",
    "Test Suites: 1 failed, 1 total\nTests:       5 passed, 5 total",
    "npx jest | tail",
  ],
  ["  5 passing (20ms)", "  3 passing (9ms)\n  2 failing", "npx mocha | tail"],
  ["# tests 5\n# pass 5\n# fail 0", "# pass 4\n# fail 1", "node --test | tail"],
  ["ℹ pass 5\nℹ fail 0", "ℹ pass 4\nℹ fail 1", "node --test | tail"],
  ["=== 3 passed, 1 skipped in 0.12s ===", "=== 1 failed, 2 passed in 0.31s ===", "pytest | tail -3"],
  ["3 passed in 0.10s", "2 errors in 0.10s", "pytest -q | tail -1"],
  ["Ran 3 tests in 0.001s\n\nOK", "Ran 3 tests in 0.001s\n\nFAILED (failures=1)", "python -m unittest 2>&1 | tail"],
  ["ok  \texample.com/shop\t0.112s", "--- FAIL: TestCart (0.00s)\nFAIL", "go test ./... | tail"],
  ["test result: ok. 5 passed; 0 failed; 0 ignored", "test result: FAILED. 4 passed; 1 failed", "cargo test | tail"],
  [
    "     Summary [   0.1s] 5 tests run: 5 passed, 0 skipped",
    "     Summary [   0.1s] 5 tests run: 4 passed, 1 failed",
    "cargo nextest run | tail",
  ],
  ["Passed!  - Failed:     0, Passed:     5", "Failed!  - Failed:     1, Passed:     4", "dotnet test | tail"],
  [
    "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0",
    "[ERROR] Tests run: 5, Failures: 0, Errors: 1",
    "mvn test | tail",
  ],
  ["BUILD SUCCESSFUL in 2s", "5 tests completed, 1 failed", "./gradlew test | tail"],
  ["5 examples, 0 failures", "5 examples, 1 failure", "rspec | tail"],
  ["OK (5 tests, 9 assertions)", "FAILURES!\nTests: 5, Assertions: 9, Failures: 1.", "phpunit | tail"],
  ["1 doctest, 5 tests, 0 failures", "5 tests, 2 failures", "mix test | tail"],
  ["100% tests passed, 0 tests failed out of 3", "67% tests passed, 1 tests failed out of 3", "ctest | tail"],
  ["  5 passed (3.2s)", "  1 failed\n  4 passed (3.2s)", "npx playwright test | tail"],
  ["ok | 5 passed | 0 failed (20ms)", "FAILED | 4 passed | 1 failed (20ms)", "deno test | tail"],
  [" 5 pass\n 0 fail", " 4 pass\n 1 fail", "bun test | tail"],
  ["00:03 +12: All tests passed!", "00:03 +11 -1: Some tests failed.", "flutter test | tail -1"],
  ["Tests Passed: 4, Failed: 0", "Tests Passed: 3, Failed: 1", "Invoke-Pester | Select-Object -Last 1"],
]

test.each(summaries)("behind a pipe the summary decides: %j", (green, red, command) => {
  expect(verdict(command, green, 0)).toBe("passed")
  expect(verdict(command, red, 0)).toBe("failed")
})

test("the exit code of a pipe, of a fallback or of a later command is not that of the tests", () => {
  for (const command of ["npm test | tail", "npm test || true", "npm test; echo done", "npm test &"]) {
    expect(verdict(command, "something else", 0)).toBeUndefined()
  }
  expect(verdict("set -o pipefail; npm test | tail", "", 1)).toBe("failed")
})

test("tests after a step that may have failed itself are judged by their summary", () => {
  expect(verdict("npm run build && npm test", "error TS2345", 2)).toBeUndefined()
  expect(verdict("npm run build && npm test", "Tests  1 failed | 3 passed (4)", 1)).toBe("failed")
  expect(verdict("npm run build && npm test", "", 0)).toBe("passed")
})

test("a runner that is missing, or runs in the background, has not tested anything", () => {
  expect(verdict("vitest run", "bash: vitest: command not found", 127)).toBeUndefined()
  expect(verdict("npm test", "Command running in background with ID: b1", 0)).toBeUndefined()
})

test("a script that runs tests among other things is judged by an unambiguous summary", () => {
  expect(verdict("npm run check", "Tests  61 passed (61)", 0)).toBe("passed")
  expect(verdict("npm run lint", "2 errors", 1)).toBeUndefined()
})

test("the names of tests do not decide their result", () => {
  expect(verdict("npm test | cat", "✓ shows 3 failed logins\n✓ counts 2 failures\n Tests  2 passed (2)", 0)).toBe(
    "passed",
  )
})
