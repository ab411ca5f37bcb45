import type { Command } from "../../formats/commands/split-command.ts"
import { programOf } from "../../formats/commands/unwrap-command.ts"
import { headOf } from "./command-head.ts"

/** How a command line runs tests. */
export type TestCommand = {
  /**
   * The exit code of the line is that of the tests: nothing after them hides it, and nothing else can have failed
   * instead.
   */
  exitTells: "always" | "when 0" | "never"
}

/** Finds the test run in a command line; undefined when there is none. */
export function findTestCommand(commands: readonly Command[]): TestCommand | undefined {
  const at = commands.findIndex(({ words }) => runsTests(words))
  if (at === -1) return undefined
  return { exitTells: exitTells(commands, at) }
}

/** Whether a command may run tests among other things, so that a summary in its output can be trusted. */
export function mayRunTests(commands: readonly Command[]): boolean {
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
