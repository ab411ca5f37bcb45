import { expect, test } from "vitest"
import { findSensitive, redactPersonalData, scrubText } from "./redaction.ts"

test("e-mail addresses and phone numbers of people are replaced, the rest is unchanged to the byte", () => {
  expect(redactPersonalData("Ask Jane (jane.doe+dev@mail.example.com) or call +1 555-123-4567.\r\nBye")).toEqual({
    text: "Ask Jane ([email]) or call [phone].\r\nBye",
    redactions: 2,
  })
})

test("every usual way to write a number or an address is recognised", () => {
  for (const [text, redacted] of [
    ["mail bob@acme.io.", "mail [email]."],
    ["<mailto:bob_smith@acme.co.uk>", "<mailto:[email]>"],
    ["josé@exämple.de", "[email]"],
    ["two: a@b.org, c@d.org", "two: [email], [email]"],
    ["(555) 123-4567", "[phone]"],
    ["555-123-4567", "[phone]"],
    ["1-800-555-0199", "[phone]"],
    ["+49 170 1234567", "[phone]"],
    ["+442071838750", "[phone]"],
    ["Phone: 030 1234567", "Phone: [phone]"],
    ["tel. 0171.123.4567", "tel. [phone]"],
  ] as const) {
    expect({ text, redacted: redactPersonalData(text).text }).toEqual({ text, redacted })
  }
})

test("machines' addresses, packages, versions, dates and numbers pass", () => {
  for (const text of [
    "Co-authored-by: Copilot <noreply@github.com>",
    "no-reply@acme.io and do-not-reply@acme.io",
    "223556219+Copilot@users.noreply.github.com",
    "git@github.com:acme/app.git",
    "ssh://git@github.com/acme/app.git",
    "https://bob@dev.azure.com/acme/_git/app",
    "npm install @scope/name@1.2.3 left-pad@2.0.0",
    "actions/checkout@v4.1.0",
    "icon@2x.png",
    "react@18.2.0.tgz",
    "@someone please look",
    "version 10.0.100-preview.7.25380.108",
    "2026-02-15T14:32:15-0800",
    "from 2026-02-15 to 2026-02-28",
    "(2026-04-05)",
    "20260215143215",
    "run 13245768900 of the workflow",
    "issue #1234567890",
    "192.168.100.200",
    "1,234,567.89 bytes",
    "lines 1200 - 1300",
    "0.1234567890",
    "550e8400-e29b-41d4-a716-446655440000",
    "port 8080, 1920 1080",
    "mobile layout since 2026-02-15",
  ]) {
    expect(redactPersonalData(text)).toEqual({ text, redactions: 0 })
  }
})

test("redaction is idempotent", () => {
  const once = redactPersonalData("bob@acme.io, +49 170 1234567").text
  expect(redactPersonalData(once)).toEqual({ text: once, redactions: 0 })
})

test("hostile text is redacted in time that grows linearly with its length", () => {
  for (const unit of ["a", "1", "1 ", "@", "a@", "a.", "+1", "(1", "a@a."]) {
    const once = unit.repeat(Math.ceil(300_000 / unit.length))
    const one = elapsed(() => redactPersonalData(once))
    const four = elapsed(() => redactPersonalData(once.repeat(4)))
    expect({ unit, one, four, linear: four < Math.max(one, 10) * 8 }).toMatchObject({ linear: true })
  }
})

/** The least CPU time of three tries, in milliseconds, so that other load on the machine does not count. */
function elapsed(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

// Put together at run time, so that no scanner takes this file for a leak.
const token = ["ghp", "_", "Zq7Xw2Lk9Vb4Nm1Rt6Yp3Sd8Fg5Hj0Kc2Va"].join("")
const key = ["-----BEGIN RSA PRIV", "ATE KEY-----\nMIIEpAIBAAKCAQEAx7Zq\nkXw2Lk9Vb4Nm1Rt6Yp3S\n"].join("")
const keyEnd = ["-----END RSA PRIV", "ATE KEY-----"].join("")

test("secrets and personal data are reported by line and rule, in the order of the lines", () => {
  const text = `# Notes\n\nMail kim@corp.io or call +49 30 1234567.\nThe token is ${token}.\n`
  expect(findSensitive(text)).toEqual([
    { line: 3, kind: "personal data", rule: "email", reason: "personal data" },
    { line: 3, kind: "personal data", rule: "phone", reason: "personal data" },
    { line: 4, kind: "secret", rule: "github-token", reason: "access token" },
  ])
})

test("no finding contains the value", () => {
  expect(JSON.stringify(findSensitive(`token: ${token}, kim@corp.io`))).not.toMatch(/ghp_|corp\.io/)
})

test("placeholders replace values, and the rest of the text stays", () => {
  expect(scrubText(`Mail kim@corp.io.\r\nUse ${token} here.\r\n`)).toBe(
    "Mail [email].\r\nUse [secret: access token] here.\r\n",
  )
})

test("a finding after a multi-line key is reported at its own line", () => {
  expect(findSensitive(`${key}${keyEnd}\nkim@corp.io\n`).map(({ line, rule }) => [line, rule])).toEqual([
    [1, "pem-private-key"],
    [5, "email"],
  ])
})

test("a key without an end does not include the words below it", () => {
  expect(scrubText(`${key}\nThis sentence stays\n`)).toBe("[secret: private key material]\n\nThis sentence stays\n")
})

test("scrubbing is idempotent", () => {
  const once = scrubText(`password=${["hunter2", "Xy9!"].join("")}\nkim@corp.io\n${token}\n${key}${keyEnd}\n`)
  expect(scrubText(once)).toBe(once)
  expect(findSensitive(once)).toEqual([])
})

test("content that only the user can rewrite is reported and left", () => {
  const text = "The database server is at 192.168.10.20 behind the firewall.\n"
  expect(findSensitive(text)).toMatchObject([{ line: 1, kind: "other", reason: "internal network topology" }])
  expect(scrubText(text)).toBe(text)
})

test("a personal identifier is personal data", () => {
  const text = `Her SSN is ${["123", "45", "6789"].join("-")}.\n`
  expect(findSensitive(text)).toMatchObject([{ kind: "personal data", rule: "social-security-number" }])
  expect(scrubText(text)).toBe("Her SSN is [personal identifier].\n")
})
