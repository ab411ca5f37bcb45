const enough = 5

/** Runs of at least five stack frames, log lines or dump lines, with at most one other line between two of them. */
export function findDiagnosticPayloads(text: string): { start: number; end: number }[] {
  const payloads: { start: number; end: number }[] = []
  let run = { start: 0, end: 0, lines: 0, others: 0 }
  const close = () => {
    if (run.lines >= enough) payloads.push({ start: run.start, end: run.end })
    run = { start: 0, end: 0, lines: 0, others: 0 }
  }
  const lines = text.replaceAll("\\n", " \n").replaceAll("\\t", "  ") // line breaks written out, as in JSON; offsets stay
  for (let start = 0, end = 0; start < lines.length; start = end + 1) {
    end = endOfLine(lines, start)
    diagnosticLine.lastIndex = start
    if (diagnosticLine.test(lines)) {
      run = { start: run.lines === 0 ? start : run.start, end, lines: run.lines + 1, others: 0 }
    } else if (++run.others > 1) close()
  }
  close()
  return payloads
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start)
  return end === -1 ? text.length : end
}

const level = "(?:trace|debug|info|information|warn|warning|error|fatal|critical|inf|wrn|err|dbg|ftl|crit|fail|dbug)"

const shapes = [
  // stack frames
  "at (?:async |new )?[\\w.$<>\\[\\]`,|+/:\\\\@-][\\w.$<>\\[\\]`,|+/:\\\\@ -]{0,200}(?:\\(|:\\d+|:line \\d+)", // JavaScript, Java, .NET
  'File "[^"\\n]{1,200}", line \\d+', // Python
  "from [^\\s:]{1,200}:\\d+:in ", // Ruby
  "[^\\s:]{1,200}\\.go:\\d+ \\+0x", // Go
  "\\d{1,3}: +0x[0-9a-f]+ - ", // Rust
  "#\\d{1,3} +(?:0x[0-9a-f]+|[^\\s(]{1,200}\\(\\d+\\):)", // gdb, PHP
  // log lines
  `\\[?\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d+Z? |[^\\n]{0,60}\\b${level}\\b|Z? ##\\[)`,
  `\\[?\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d+)?\\]?[^\\n]{0,40}\\b${level}\\b`,
  "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\\d{1,2} \\d\\d:\\d\\d:\\d\\d \\S+ [^\\s:]+:",
  `\\[${level}\\] `,
  `(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)(?: {1,3}|: )[\\[\\w]`,
  `${level}: [\\w.]{1,120}\\[\\d+\\]`,
  "npm (?:ERR!|error|warn) ",
  // dump lines
  "(?:0x)?[0-9a-f]{4,16}:? {1,3}(?:[0-9a-f]{2} ?){8}",
  "(?:[er]?[a-z]{2}|[rx]\\d{1,2})[:=] ?(?:0x)?[0-9a-f]{8,16}\\b",
]

/** Tried at the start of each line only. */
const diagnosticLine = new RegExp(`[ \\t>|]{0,40}(?:${shapes.join("|")})`, "iy")
