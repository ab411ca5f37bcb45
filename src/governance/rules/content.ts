import type { ForbiddenRule, Surroundings } from "../detect-forbidden.ts"

/**
 * Content that is not a secret but does not belong in a shared memory: personal numbers, internal networks, customer data, open
 * vulnerabilities.
 */
export const contentRules: ForbiddenRule[] = [
  {
    rule: "social-security-number",
    reason: "PII-like identifier",
    hints: [],
    pattern: /(?<![\w.-])\d{3}-\d{2}-\d{4}(?![\w-])/gi,
    isForbidden: (_, around) => personal.test(`${around.before} ${around.after}`),
  },
  {
    rule: "payment-card-number",
    reason: "PII-like identifier",
    hints: ["card", "visa", "amex"],
    pattern: /(?<![\w.-])[3-6]\d{3}[ -]?\d{4}[ -]?\d{4}[ -]?\d{3,4}(?![\w-])/gi,
    isForbidden: (value, around) =>
      /card|visa|amex|pan\b/i.test(around.before) && passesLuhn(value) && !isTestCard(value),
  },
  {
    rule: "private-address",
    reason: "internal network topology",
    hints: ["10.", "172.", "192.168."],
    pattern: /(?<![\w.-])(?:10\.\d{1,3}|172\.(?:1[6-9]|2\d|3[01])|192\.168)\.\d{1,3}\.\d{1,3}(?!\w|\.\d)/gi,
    isForbidden: isHostAddress,
  },
  {
    rule: "customer-data",
    reason: "private customer data",
    hints: ["customer"],
    pattern:
      /\b(?:(?:private|confidential|restricted)\s{1,3}customer\s{1,3}(?:data|records?|details|information|info)|customer\s{1,3}(?:pii|personal data|tenant secrets?|production data))\b/gi,
    isForbidden: isNotProhibited,
  },
  {
    rule: "unreviewed-vulnerability",
    reason: "unreviewed vulnerability disclosure",
    hints: ["vulnerabilit", "-day", "0day", "zero day"],
    pattern:
      /\b(?:(?:unreviewed|undisclosed|unpatched|embargoed)\s{1,3}(?:security\s{1,3})?vulnerabilit(?:y|ies)|(?<![\d.,-])(?:0-?day|zero[- ]day)s?(?![-\w])(?!\s(?:old|retention|window|grace|delay|period|wait|interval|streak)))/gi,
    isForbidden: isNotProhibited,
  },
]

const personal =
  /\b(?:ssn|social security|social insurance|tax(?:payer)?[ -]?id|itin|national id|date of birth|dob|born|passport|patient|employee|applicant|customer|resident|member|citizen|her|his|their|mr|mrs|ms)\b/i

/** "Never store private customer data" is a rule worth keeping, not the data. */
function isNotProhibited(_: string, { before }: Surroundings): boolean {
  return !/\b(?:never|not|don't|avoid|forbid|reject|refuse)\b[^.!?]{0,150}$/i.test(before)
}

const version =
  /(?:\bv|version|sdk|aspire|release[sd]?|runtime|package|nuget|net|dotnet|upgrade[sd]?|bump(?:ed)?|assembly|§|@|build)[\w. "'`:=-]{0,24}$/i
const network =
  /\b(?:hosts?|hostname|servers?|subnet|network|gateway|router|vpc|vpn|vnet|ips?|ip address|address|ssh|ping|dns|nodes?|cluster|database|db|firewall|lan|vlan|cidr|internal|proxy|endpoint|listen\w*|bind|broker|machine|vm|reachable|connect\w*|https?|tcp|udp|nas|switch|load balancer)\b/i

/** Four octets are an address if a nearby word says so and no word for a version comes right before. */
function isHostAddress(value: string, { before, after }: Surroundings): boolean {
  if (value.split(".").some((octet) => Number(octet) > 255)) return false
  if (value === "10.0.2.2") return false // every Android emulator's name for its host
  if (version.test(before.slice(-40))) return false
  return (
    /^(?:\/\d{1,2}\b|:\d{2,5}\b)/.test(after) ||
    /(?:\/\/|@)$/.test(before) ||
    network.test(`${before.slice(-80)} ${after.slice(0, 60)}`)
  )
}

/** Numbers that payment services publish for tests (Stripe, Adyen, PayPal). */
function isTestCard(value: string): boolean {
  const digits = value.replace(/\D/g, "")
  return /^(?:4242|4000|40000|4111111111111111|5555555555554444|5105105105105100|5200828282828210|2223003122003222|3782822463|3714496353|6011111111111117|6011000990139424|6011981111111113|3056930009020004|36227206271667|35660020|6200000000|4012888888881881|4917610000000000|4988438843884305)/.test(
    digits,
  )
}

function passesLuhn(value: string): boolean {
  const digits = value.replace(/\D/g, "").split("").reverse().map(Number)
  const sum = digits.reduce(
    (total, digit, place) => total + (place % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2),
    0,
  )
  return sum % 10 === 0
}

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
