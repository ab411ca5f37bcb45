export type TestVerdict = {
  verdict: "passed" | "failed" /** The position of the decisive line. */
  start: number
  end: number
}

/**
 * The verdict of a test run by its framework's summary; "0 failed" is a pass. A failure outweighs passes. If tests are
 * only part of the command, lines that other tools also print are ignored.
 */
export function readTestSummary(text: string, ran: "tests" | "maybe tests"): TestVerdict | undefined {
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
