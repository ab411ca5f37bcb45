import { truncate } from "./text.ts"

/** A line of a text that reports an error. */
export type ErrorLine = { start: number; end: number }

/** The first line that begins like an error; undefined if there is none. File contents and counts such as "0 errors" do not match. */
export function findErrorLine(text: string): ErrorLine | undefined {
  return firstLine(text, isStrong)
}

/**
 * The most informative line about a failure: one that begins like an error, otherwise one with a word for it, otherwise the first with
 * content.
 */
export function findInformativeLine(text: string): ErrorLine | undefined {
  return firstLine(text, isTelling) ?? firstLine(text, isWeak) ?? firstLine(text, isOutput)
}

function firstLine(text: string, counts: (line: string) => boolean): ErrorLine | undefined {
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf("\n", start)
    const end = next === -1 ? text.length : next
    const line = text.slice(start, end).trimEnd()
    const shown = line.lastIndexOf("\r") + 1 // text that the terminal overwrote is dropped
    if (counts(line.slice(shown, shown + longestLine))) return { start: start + shown, end }
    start = end + 1
  }
  return undefined
}

const longestLine = 600

function isOutput(line: string): boolean {
  return /\S/.test(line) && !frame.test(line)
}

/** More than that a failure reported above occurred. */
function says(line: string): boolean {
  return isOutput(line) && !closing.test(line)
}

const closing =
  /^\s*(?:error: script "[^"]{1,80}" exited with code|error Command failed with|.{0,3}ELIFECYCLE|\[[\w:.-]{1,40}\] ERROR task failed|make(?:\[\d+\])?: \*\*\*|npm (?:ERR!|error) (?:code ELIFECYCLE|errno|Exit status|Failed at)|error: process (?:completed|exited)|error: could not compile)/i

/** What clients write around an output, and counts of nothing. */
const frame =
  /^\s*(?:(?:Error: )?(?:Exit code:?|Process exited with code|Chunk ID:|Wall time:|Original token count:|Total output lines:|Command failed with exit code|\(?no output\)?|Output:)|Traceback \(most recent|npm (?:ERR!|error)\s*(?:code|errno|A complete log|Lifecycle script)\b|(?:errors?|failed|failures?):? ?0\b|0 (?:errors?|failed)|<\/?\w{1,30}>\s*$)/i

const lead = "[ \\t>✖✗✘×●❌⨯|*]{0,8}(?:\\u001b\\[[0-9;]{0,12}m){0,3}"

/** How a line that reports an error begins. */
const beginnings = atLineStart([
  "(?:[Ee]rror|[Ff]atal|[Pp]anic|[Ee]xception|[Cc]ritical|[Ff]ailure)(?:\\[\\w{1,12}\\])?: ?\\S",
  "ERROR\\b|\\[(?:error|fatal|ERROR|FATAL)\\]|ERR!|npm ERR!|npm error|error (?:TS|CS)\\d|collect2: error",
  "(?:[A-Za-z_$][\\w$]{0,60}\\.){0,8}[A-Z]\\w{0,60}(?:Error|Exception|Failure)(?: \\[\\w{1,40}\\])?(?:: |:?$| \\()",
  "Uncaught|Unhandled|Caused by:|Traceback \\(most recent call last\\)",
  "thread '[^'\\n]{1,80}' (?:\\(\\d+\\) )?panicked|panic: |goroutine \\d+ \\[",
  "FAIL(?:ED|URE)?[:\\t !]|FAIL$|--- FAIL|E {3}\\S|not ok \\d",
  "zsh: (?:command not found|no matches)|Segmentation fault|Killed$|ENOENT|EACCES|EADDRINUSE",
  "Cannot find (?:module|package)|Could not (?:resolve|find|compile)|Module not found",
  "apply_patch verification failed|String to replace not found|old_string not found|Found \\d+ matches of the string to replace",
])

/** The same after the name of a file or a program; tried only if one of these words occurs at all. */
const carriers = atLineStart([
  "[^\\n:]{1,200}: (?:fatal )?error(?: \\w{1,12})?: |[^\\n]{1,200}\\(\\d{1,6},\\d{1,6}\\): error ",
  "[^\\n:]{1,200}:\\d{1,6}:\\d{1,6}: (?:fatal )?error\\b|[^\\n:]{1,200}:\\d{1,6}:\\d{1,6} - error ",
  "[^\\n:]{1,200}:(?:\\d{1,6}:)? (?:ERROR|FATAL|Error): ",
  "[^\\n]{1,120}: (?:command not found|No such file or directory|Permission denied|not found)$",
  "'[^'\\n]{1,80}' is not recognized as|[^\\n]{1,80} : The term '",
])
const carried = /rror|ERROR|FATAL|not found|No such|denied|not recognized|The term/

/** Where something failed; a location alone does not mean failure, since grep prints the same. */
const place = atLineStart(["[^\\n:\\s]{1,200}\\.\\w{1,8}:\\d{1,6}(?::\\d{1,6})?: \\S"])

function isStrong(line: string): boolean {
  return says(line) && (beginnings.test(line) || (carried.test(line) && carriers.test(line)))
}

function isTelling(line: string): boolean {
  return isStrong(line) || (place.test(line) && says(line))
}

function isWeak(line: string): boolean {
  return weak.test(line) && says(line) && !echo.test(line)
}

/** A script that a package manager shows before it runs it, and the "undefined" that pnpm prints before an error. */
const echo = /^\s*(?:[$>] \S|undefined$)/

function atLineStart(sources: string[]): RegExp {
  return new RegExp(`^${lead}(?:${sources.join("|")})`, "u")
}

const weak =
  /^[ \t]{0,8}[×✖✗✘⨯] \S|^[ \t]{1,8}! \S|\b(?:errors?|exception|fail(?:ed|ure|s)?|fatal|cannot|can't|could not|unable to|unexpected|invalid|denied|refused|not found|no such|undefined|missing|unknown|timed? ?out|expected)\b/i

const longestFingerprint = 160

/** What two failures of one cause have in common: the most informative line without times, places, numbers and temporary names. */
export function fingerprint(line: string): string | undefined {
  let print = line.slice(0, 1000).toLowerCase()
  for (const [pattern, mark] of replacements) print = print.replace(pattern, mark)
  print = truncate(print.replace(/\s+/g, " ").trim(), longestFingerprint)
  return /\p{L}{3}/u.test(print.replace(/<\w+>/g, "")) ? print : undefined
}

const replacements: [RegExp, string][] = [
  [/\u001b\[[0-9;?]{0,20}[a-z]/g, ""],
  [/\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:z|[+-]\d\d:?\d\d)?/g, "<time>"],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\b/g, "<time>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<id>"],
  [/\bhttps?:\/\/\S{1,500}/g, "<url>"],
  [
    /"[^"\n]{0,300}"|`[^`\n]{0,300}`|(?<![\p{L}\p{N}])'[^'\n]{0,300}'(?![\p{L}\p{N}])|‘[^’\n]{0,300}’|“[^”\n]{0,300}”/gu,
    "<text>",
  ],
  [/(?:[a-z]:)?(?:[\w.@~+-]{0,100}[/\\]){1,40}([\w.@+-]{1,100})/g, "$1"],
  [/(?<=\.\w{1,8}):\d{1,7}(?::\d{1,7})?|\(\d{1,7}(?:[,:]\d{1,7})?\)|\bline \d{1,7}\b/g, ""],
  [/\b0x[0-9a-f]{1,16}\b|\b(?=[a-f]{0,39}\d)[0-9a-f]{7,40}\b/g, "<hex>"],
  [/\d+(?:[.,]\d+){0,6}/g, "#"],
]
