import { expect, test } from "vitest"
import { alnum, base64, canaries, hex, jwt, uuid } from "../../test/canaries.ts"
import { detectForbidden, type ForbiddenReason } from "./detect-forbidden.ts"

for (const [reason, shapes] of Object.entries(canaries)) {
  test(`${reason}: every shape is caught, alone and in a sentence`, () => {
    for (const [shape, make] of Object.entries(shapes)) {
      for (const wrap of [(text: string) => text, (text: string) => `We noted this:\n${text}\n\nThe rest is fine.`]) {
        const text = wrap(make())
        expect({ shape, text, reasons: reasonsIn(text) }).toEqual({ shape, text, reasons: [reason] })
      }
    }
  })
}

test("the canary list has at least 40 shapes of secrets and 120 canaries", () => {
  const shapes = Object.values(canaries).map((row) => Object.keys(row).length)
  expect(Object.keys(canaries["access token"]).length).toBeGreaterThanOrEqual(40)
  expect(shapes.reduce((sum, count) => sum + count * 2, 0)).toBeGreaterThanOrEqual(120)
})

test("what only speaks of secrets, addresses, runs and people passes", () => {
  const clean = [
    "token: str",
    "token: string",
    "secret: none",
    "Design token: --brand",
    "password: required",
    "api_key=<your key>",
    "api_key=your-api-key",
    "API_KEY=your_api_key_here",
    "curl -H 'Authorization: Bearer $TOKEN'",
    "Authorization: Bearer <token>",
    "export GITHUB_TOKEN=$TOKEN",
    `GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}`,
    `password=\${DB_PASSWORD}`,
    "const token = process.env.X",
    "const apiKey = process.env.OPENAI_API_KEY_2",
    "apiKey: options.apiKey",
    "TOKEN=xxxxxxxxxxxx",
    "OPENAI_API_KEY=sk-...",
    "password: changeme",
    "password: ********",
    "secret=[redacted]",
    "token=example-token-1234",
    "`-----BEGIN RSA PRIVATE KEY-----` is what the scanner looks for",
    "CancellationToken = default",
    "token: CancellationTokenSource",
    "secret: `NPM_TOKEN`",
    "passwords are hashed with argon2id",
    "password: bcrypt12",
    "the token is base64-encoded",
    "the password is required",
    "the session token is valid for 30 minutes",
    "tokens: 1200",
    "task-runner-for-the-nightly-build-2026",
    "risk-assessment-framework-version2",
    ".NET SDK 10.0.100",
    ".NET SDK 10.0.100.1",
    "Aspire 10.3.0",
    "Aspire.Hosting 10.3.0.1 on the server",
    "section 10.6.1.1 of the plan",
    "Public resolver at 8.8.8.8 works fine",
    "192.168.300.1 is no host address",
    "postgres://localhost/db",
    `postgres://\${USER}:\${PASSWORD}@host/db`,
    "postgres://user:password@localhost:5432/db",
    "http://localhost:3000/@vite/client",
    "https://github.com/acme/app/tree/main",
    "git@github.com:acme/app.git",
    "PR status check is required",
    "stack trace formatter",
    "Log rotation runs nightly",
    "TypeError: x is not a function\n    at run (/app/src/run.js:1:2)",
    "2026-02-15 14:32:15 ERROR the one line we saw",
    "released on 2026-02-15, see issue 123-45",
    "order 123-45-6789 shipped",
    "a zero-day-old branch",
    "a 30-day retention",
    "Customer feedback survey shows a positive trend",
    "Vulnerability review process runs weekly",
    "Never store secrets, raw logs, or private customer data in memory.",
    "Do not write down an unreviewed vulnerability",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= is the integrity hash",
    `commit ${hex(40)} fixed it`,
    `session ${uuid()} ended`,
  ]
  for (const text of clean) expect({ text, findings: detectForbidden(text) }).toEqual({ text, findings: [] })
})

test("a finding tells rule and place, never the value", () => {
  const value = `gh${"p_"}${alnum(36)}`
  const findings = detectForbidden(`token: ${value} end`)
  expect(findings).toEqual([{ reason: "access token", rule: "github-token", start: 7, end: 7 + value.length }])
  expect(JSON.stringify(findings)).not.toContain(value)
})

test("findings come in the order of the text and never overlap", () => {
  const text = `pwd=${alnum(9)}1x, key gh${"p_"}${alnum(36)}, and https://a:${alnum(9)}@b plus Bea${"rer"} ${jwt()}`
  const findings = detectForbidden(text)
  expect(findings.map(({ reason }) => reason)).toEqual([
    "credential-like assignment",
    "access token",
    "connection string secret",
    "access token",
  ])
  for (const [at, { start }] of findings.entries()) expect(start).toBeGreaterThanOrEqual(findings[at - 1]?.end ?? 0)
})

test("the same text gives the same findings each time", () => {
  const text = `pwd=${alnum(9)}1x and gh${"p_"}${alnum(36)}`
  expect(detectForbidden(text)).toEqual(detectForbidden(text))
})

test("time grows with the length of hostile text, not faster", () => {
  const runs = ["a", "=", ":", '"', " ", "\n", "-", base64(4000)].map((unit) => [unit, 1_250_000] as const)
  const traps = [
    "eyJ",
    "-eyJ",
    "sk-",
    "xsk-",
    "://",
    "://a:",
    "password=",
    "password is ",
    "token for a ",
    "-----BEGIN PRIVATE KEY-----",
    "at a ",
    "10.0.0.1 ",
    "curl -u ",
    "\\n",
  ].map((unit) => [unit, 150_000] as const)
  for (const [unit, length] of [...runs, ...traps]) {
    const once = unit.repeat(Math.ceil(length / unit.length))
    const one = elapsed(() => detectForbidden(once))
    const four = elapsed(() => detectForbidden(once.repeat(4)))
    expect({ unit: unit.slice(0, 30), one, four, linear: four < Math.max(one, 10) * 8 }).toMatchObject({ linear: true })
  }
})

function reasonsIn(text: string): ForbiddenReason[] {
  return [...new Set(detectForbidden(text).map(({ reason }) => reason))]
}

/** The least CPU time of three tries, in milliseconds: what else the machine does must not count. */
function elapsed(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}
