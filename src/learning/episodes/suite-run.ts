import type { TranscriptEvent } from "../../formats/client-events.ts"

import { type Command, programOf } from "../../formats/shell-command.ts"
import { headOf } from "./command-head.ts"

/**
 * Whether a result is that of a test run, and its verdict: by the exit code if it is the tests' own, else by the
 * summary. A pipe has the exit code of `tail`, and 126 or 127 mean that nothing ran.
 */
export function readTestRun(result: TranscriptEvent, commands: readonly Command[]): Partial<TestVerdict> | undefined {
  if (result.incident !== undefined || !ran(result)) return undefined
  const tests = findTestCommand(commands)
  if (tests === undefined) {
    return mayRunTests(commands) || testTool.test(result.tool ?? "")
      ? readTestSummary(result.text, "maybe tests")
      : undefined
  }
  const summary = readTestSummary(result.text, "tests")
  const exit = exitOf(result)
  if (exit === 126 || exit === 127) return summary
  if (exit === 0 && tests.exitTells !== "never") return { ...summary, verdict: "passed" }
  if (exit !== undefined && exit !== 0 && tests.exitTells === "always") return { ...summary, verdict: "failed" }
  return summary
}

const testTool = /^(?:mcp_{1,2}\w{1,60}_)?run_?(?:unit_?)?tests?$/i

function ran({ text }: TranscriptEvent): boolean {
  return !/^(?:Command running in background|Command was manually backgrounded|Process running with session)/m.test(
    text.slice(0, 300),
  )
}

/** An exit code printed in the log is used if the result has none. */
function exitOf({ exitCode, isError }: TranscriptEvent): number | undefined {
  return exitCode ?? (isError === undefined ? undefined : isError ? 1 : 0)
}

/** How a command line runs tests. */
export type TestCommand = {
  /**
   * The exit code of the line is that of the tests: nothing after them hides it, and nothing else can have failed
   * instead.
   */
  exitTells: "always" | "when 0" | "never"
}

/** Finds the test run in a command line; undefined when there is none. */
function findTestCommand(commands: readonly Command[]): TestCommand | undefined {
  const at = commands.findIndex(({ words }) => runsTests(words))
  if (at === -1) return undefined
  return { exitTells: exitTells(commands, at) }
}

/** Whether a command may run tests among other things, so that a summary in its output can be trusted. */
function mayRunTests(commands: readonly Command[]): boolean {
  return commands.some(({ words }) => scripted.test(headOf(words) ?? ""))
}

const scripted =
  /^(?:npm (?:run |publish)|pnpm |yarn |bun run |make |just |task |mise run |turbo |nx |rake |tox|nox|mvn |gradlew? |bazel |deno task |pre-commit |git (?:commit|push)|[\w.-]{1,50}\.(?:sh|ps1|bat)$)/

function runsTests(words: readonly string[]): boolean {
  const head = headOf(words)
  if (head === undefined || words.some((word) => onlyAsks.has(word))) return false
  return exact.has(head) || shapes.some((shape) => shape.test(head))
}

/** Flags that make a runner run nothing. */
const onlyAsks = new Set([
  "--help",
  "-h",
  "--version",
  "-V",
  "--collect-only",
  "--listTests",
  "--list-tests",
  "--list",
  "-list",
  "--no-run",
  "--dry-run",
  "-N",
  "--co",
])

const exact = new Set([
  ..."vitest jest mocha ava tap tape karma wtr jasmine pytest py.test unittest nose2 tox nox gotestsum ginkgo rspec phpunit pest".split(
    " ",
  ),
  ..."invoke-pester ctest bats prove busted behave cucumber lit".split(" "),
  "node --test",
  "tsx --test",
  "bun test",
  "deno test",
  "go test",
  "cargo test",
  "cargo t",
  "cargo nextest run",
  "dotnet test",
  "swift test",
  "flutter test",
  "dart test",
  "mix test",
  "playwright test",
  "cypress run",
  "rails test",
  "rails spec",
  "manage.py test",
  "artisan test",
  "xcodebuild test",
  "bazel test",
  "stack test",
  "cabal test",
  "lein test",
  "zig test",
  "zig build test",
  "hatch test",
  "mvn test",
  "mvn verify",
  "mvn install",
  "mvnw test",
  "mvnw verify",
  "sbt test",
])

/** A script or target named after tests: `npm run test:unit`, `make test-integration`, `./run_tests.sh`. */
const shapes = [
  /^(?:npm|pnpm|yarn|bun|make|gmake|just|task|mise|deno|turbo|nx|rake|composer|lerna|ng)(?: run| task)? (?:[\w.-]{0,40}[:_/-])?(?:tests?|specs?|e2e)(?:[:_/-][\w:./-]{0,40})?$/,
  /^(?:npm|pnpm|yarn|bun)(?: run)? (?:vitest|jest|mocha|ava|playwright|cypress)$/,
  /^(?:make|gmake|gradlew?|rake) (?:check|spec)$/,
  /^gradlew? (?:\S{0,60}:)?(?:test|check|connected\w{0,40}Test)\w{0,40}$/,
  /^(?:python |node |tsx |ruby )?(?:run[_-]?tests?|tests?|test[_-]\w{1,60}|\w{1,60}[_.-](?:test|spec))\.(?:sh|ps1|py|js|mjs|cjs|ts|rb)$/,
]

function exitTells(commands: readonly Command[], at: number): TestCommand["exitTells"] {
  const behind = commands.slice(at)
  const hides = behind.some(({ joint }, place) => {
    if (place === behind.length - 1) return joint === "|" || joint === "&"
    return joint === "|" ? !hasPipefail(commands) : joint === "||" || joint === "&" || joint === ";"
  })
  if (hides) return "never"
  const others = commands.filter(({ words }, place) => place !== at && !cannotFail.has(programOf(words)))
  return others.length === 0 || hasPipefail(commands) ? "always" : "when 0"
}

function hasPipefail(commands: readonly Command[]): boolean {
  return commands.some(({ words }) => words[0] === "set" && words.includes("pipefail"))
}

/** Commands so common beside a test run that their own failure can be ignored. */
const cannotFail = new Set(
  "cd pushd export set source . echo printf clear set-location mkdir sleep true nvm".split(" "),
)

type TestVerdict = {
  verdict: "passed" | "failed" /** The position of the decisive line. */
  start: number
  end: number
}

/**
 * The verdict of a test run by its framework's summary; "0 failed" is a pass. A failure outweighs passes. If tests are
 * only part of the command, lines that other tools also print are ignored.
 */
function readTestSummary(text: string, ran: "tests" | "maybe tests"): TestVerdict | undefined {
  const lists = ran === "tests" ? [telling, loose] : [telling]
  return (
    lists.map(({ failed }) => find(text, failed, "failed")).find(Boolean) ??
    lists.map(({ passed }) => find(text, passed, "passed")).find(Boolean)
  )
}

/**
 * Checks only lines that contain one of the words: matching every pattern on every line takes two to four times as
 * long.
 */
function find(text: string, { words, shape }: Lines, verdict: TestVerdict["verdict"]): TestVerdict | undefined {
  words.lastIndex = 0
  while (words.test(text)) {
    shape.lastIndex = startOfLine(text, words.lastIndex - 1)
    const match = shape.exec(text)
    if (match === null) continue
    const start = match.index + (/^\s*/.exec(match[0])?.[0].length ?? 0)
    const end = text.indexOf("\n", start)
    return { verdict, start, end: end === -1 ? text.length : end }
  }
  return undefined
}

function startOfLine(text: string, at: number): number {
  let start = at
  while (start > 0 && text[start - 1] !== "\n" && text[start - 1] !== "\r") start--
  return start
}

/** Line patterns, and words of which every matching line contains one. */
type Lines = { words: RegExp; shape: RegExp }

/** A number above zero. */
const some = "[1-9]\\d{0,6}"
const any = "\\d{1,7}"
/** Colours and the symbols that reporters print before a line. */
const lead = "(?:\\u001b\\[[0-9;]{0,12}m|[ \\t✓✔✖✗×ℹ#=•●-]){0,40}"
const tint = "(?:\\u001b\\[[0-9;]{0,12}m|[ \\t]){0,12}"

const failing = /[Ff]ail|FAIL|[Ee]rror|ERROR|\d -[1-9]/g
const passing = /[Pp]ass|PASS|ok|OK|fail 0|0 fail|Failures|Success|SUCC/g

const telling = {
  failed: lines(failing, [
    // vitest, jest, pest: "Tests  1 failed | 5 passed (6)", "Test Suites: 1 failed, 3 total"
    `${lead}(?:Test Files|Test Suites|Tests|Suites):?${tint}${some} failed`,
    // pytest: "== 1 failed, 2 passed in 0.31s =="
    `${lead}(?:${any} \\w{1,12}, ){0,4}${some} (?:failed|errors?)[^\\n]{0,80} in [\\d.]{1,10}s`,
    `FAILED ${"\\S{1,200}"}::`,
    `ERROR (?:collecting )?\\S{1,200}(?:::|\\.py)`,
    "FAILED \\((?:failures|errors)=",
    // go
    "--- FAIL: ",
    "FAIL(?:[\\t ]{1,4}\\S{1,200}(?:[\\t ]{1,4}(?:[\\d.]{1,12}s|\\[(?:build|setup) failed\\]|\\(cached\\)))|[ \\t\\r]{0,4}$)",
    // cargo, nextest
    "test result: FAILED",
    `${lead}Summary \\[[^\\]\\n]{1,30}\\][^\\n]{0,80}${some} failed`,
    // mocha, node, tap, bun
    `${lead}${some} failing\\b`,
    `${lead}fail ${some}\\b`,
    `${lead}${some} fail$`,
    // dotnet
    `Failed!${tint}-`,
    "Test Run Failed",
    // maven, gradle
    `(?:\\[\\w{4,7}\\]${tint})?Tests run: ${any}, (?:Failures: ${some}|Failures: ${any}, Errors: ${some})`,
    `${any} tests? completed, ${some} failed`,
    "> Task :\\S{1,80}[tT]est\\S{0,40} FAILED",
    // rspec, minitest, mix
    `(?:${any} doctests?, )?${any} (?:examples?|tests?|runs?)[,;][^\\n]{0,60}?${some} (?:failures?|errors?)`,
    `${lead}Executed ${any} tests?, with ${some} failures?`,
    // phpunit
    "(?:FAILURES|ERRORS)!$",
    `Tests: ${any}, Assertions: ${any},[^\\n]{0,40}(?:Failures|Errors): ${some}`,
    // ctest, deno, flutter, playwright
    `${any}% tests passed, ${some} tests? failed`,
    `FAILED \\| ${any} passed`,
    "(?:\\d\\d:\\d\\d \\+\\d{1,6}[^\\n:]{0,20}: )?Some tests failed\\.",
    // Pester
    `Tests Passed: ${any}, Failed: ${some}`,
    `${tint}\\d{2}:\\d{2} \\+${any}(?: ~${any})? -${some}: `,
    "\\*\\* TEST FAILED \\*\\*",
  ]),
  passed: lines(passing, [
    `${lead}(?:Test Files|Tests|Test Suites):?${tint}(?:${any} (?:skipped|todo|pending)[,|][ ]{0,3}){0,3}${some} passed`,
    `${lead}(?:${any} \\w{1,12}, ){0,4}${some} passed[^\\n]{0,80} in [\\d.]{1,10}s`,
    "ok[\\t ]{1,4}\\S{1,200}[\\t ]{1,4}(?:[\\d.]{1,12}s|\\(cached\\))",
    "test result: ok\\.",
    `${lead}Summary \\[[^\\]\\n]{1,30}\\][^\\n]{0,40}${some} passed`,
    `${lead}${some} passing\\b`,
    `${lead}fail 0\\b`,
    `${lead}0 fail$`,
    `Passed!${tint}-`,
    "Test Run Successful",
    `(?:\\[\\w{4,7}\\]${tint})?Tests run: ${some}, Failures: 0, Errors: 0`,
    `(?:${any} doctests?, )?${some} (?:examples?|tests?|runs?)[,;][^\\n]{0,60}?0 failures`,
    `${lead}Executed ${some} tests?, with 0 failures`,
    `OK \\(${some} tests?`,
    "100% tests passed",
    `ok \\| ${some} passed`,
    "(?:\\d\\d:\\d\\d \\+\\d{1,6}[^\\n:]{0,20}: )?All tests passed!",
    `Tests Passed: ${some}, Failed: 0`,
    "\\*\\* TEST SUCCEEDED \\*\\*",
  ]),
}

/** Lines that are significant only after a known test command. */
const loose = {
  failed: lines(failing, [
    `${lead}(?:${any} \\w{1,12}, ){0,4}${some} (?:failed|errors?)(?:[,.;)=\\s]|$)`,
    `${tint}Failed:\\s{1,6}${some}$`,
  ]),
  passed: lines(passing, [
    "OK(?: \\([^)\\n]{1,60}\\))?[ \\t\\r]{0,4}$",
    "PASS[ \\t\\r]{0,4}$",
    "BUILD SUCCESS(?:FUL)?\\b",
    `${lead}(?:${any} \\w{1,12}, ){0,4}${some} passed(?:[,.;)=(\\s]|$)`,
  ]),
}

/** Each at the beginning of a line only. */
function lines(words: RegExp, shapes: string[]): Lines {
  return { words, shape: new RegExp(shapes.join("|"), "my") }
}
