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

test("text that only mentions secrets, addresses, runs and people passes", () => {
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

test("sentences that mention passwords and keys without containing one are not refused", () => {
  const clean = [
    "the password is stored in the vault",
    "use a password manager",
    "rotate the token every 30 days",
    "The password is wrong.",
    "The password is case sensitive",
    "password: string",
    "password: userPassword,",
    "pass: 16/16 tests",
    "PASS: all of it",
    "Tests pass — zero regressions",
    "pin: five schema risks",
    "GPIO pin 13 is high",
    "Pin the version to 2.4.1",
    "Das Passwort ist falsch",
    "Le mot de passe est obligatoire.",
    "La contraseña es incorrecta",
    "A senha está no cofre",
    "la password è scaduta",
    "log in as admin / editor",
    "user/feature-1234-fix-login",
    "docker run postgres:16-alpine",
    "npm run test:e2e2",
    "mysql -u root -p app",
    "curl -u $USER:$PASS https://x",
    "sshpass -p $SSHPASS ssh host",
    "echo done | sudo tee /etc/hosts",
    "Cookie: theme=dark; lang=en",
    "seed the database, run the tests, merge the branch, tag the release, push the tag, close the issue",
    "recovery words are shown once and never stored by the server in any file or table or log",
    "a certificate begins with -----BEGIN CERTIFICATE-----",
    "`sk-` and `ghp_` are prefixes we look for",
    "The API key is read from the environment",
    "Secrets live in 1Password, see the runbook",
    "const total = 'first' + 'second'",
    `toolu_01${alnum(30)}`,
    `integrity sha512-${base64(86)}==`,
    `cache key linux-x64-${hex(64)}`,
    `https://github.com/acme/app/commit/${hex(40)}`,
    "src/governance/detect-forbidden.ts, src/episodes/languages/all-languages.ts",
  ]
  for (const text of clean) expect({ text, findings: detectForbidden(text) }).toEqual({ text, findings: [] })
})

test("values that documentation shows and services publish for tests are not refused", () => {
  const published = [
    `${"AK"}IAIOSFODNN7EXAMPLE`,
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "card 4242 4242 4242 4242",
    "card number 4000056655665556",
    "test card 5555-5555-5555-4444",
    "OPENAI_API_KEY=sk-...",
    "token=your-api-key-here",
    "Authorization: Bearer <token>",
    "api_key: xxxxxxxxxxxxxxxxxxxxxxxx",
    `${"s"}k-1234567890abcdef`,
    [
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
      Buffer.from('{"sub":"1234567890","name":"John Doe"}').toString("base64url"),
      alnum(43),
    ].join("."),
    "mysql -u root -p<password>",
  ]
  for (const text of published) expect({ text, findings: detectForbidden(text) }).toEqual({ text, findings: [] })
})

test("a hidden secret is marked at its own position: nothing before or after it is removed", () => {
  const token = `gh${"p_"}${alnum(36)}`
  const ways: Record<string, string> = {
    "not shown": [...token].join("\u200b"),
    fullwidth: [...token].map((letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)).join(""),
    escapes: [...token].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join(""),
    percent: [...token].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(""),
    base64: Buffer.from(token).toString("base64"),
    backwards: [...token].reverse().join(""),
    lines: `${token.slice(0, 20)}\n   ${token.slice(20)}`,
  }
  for (const [way, hidden] of Object.entries(ways)) {
    const text = `first words (${hidden}) last words`
    const marked = detectForbidden(text).map(({ start, end }) => text.slice(start, end))
    expect({ way, marked }).toEqual({ way, marked: [hidden] })
  }
})

test("a finding has rule and position, never the value", () => {
  const value = `gh${"p_"}${alnum(36)}`
  const findings = detectForbidden(`token: ${value} end`)
  expect(findings).toEqual([{ reason: "access token", rule: "github-token", start: 7, end: 7 + value.length }])
  expect(JSON.stringify(findings)).not.toContain(value)
})

test("findings are in text order and never overlap", () => {
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

test("time grows only linearly with the length of hostile text", () => {
  const runs = ["a", "=", ":", '"', " ", "\n", "-", base64(4000)].map((unit) => [unit, 120_000] as const)
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
    "%41",
    "\\u0041",
    "&#65;",
    "\u200b",
    "\uff21",
    '"a"+',
    "A1\n",
    "a b c d ",
    "ghp_",
    "_phg",
    "QUJD",
    "0123456789abcdef",
    "| password |\n",
    "password\n",
    "passwort ist ",
    "login as a ",
    "cookie: a=b; ",
    "seed abcd ",
  ].map((unit) => [unit, 40_000] as const)
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
