import { expect, test } from "vitest"
import { findSensitive, scrubText } from "./find-sensitive.ts"

// Put together at run time, so that no scanner takes this file for a leak.
const token = ["ghp", "_", "Zq7Xw2Lk9Vb4Nm1Rt6Yp3Sd8Fg5Hj0Kc2Va"].join("")
const key = ["-----BEGIN RSA PRIV", "ATE KEY-----\nMIIEpAIBAAKCAQEAx7Zq\nkXw2Lk9Vb4Nm1Rt6Yp3S\n"].join("")
const keyEnd = ["-----END RSA PRIV", "ATE KEY-----"].join("")

test("secrets and personal data are told by line and rule, in the order of the lines", () => {
  const text = `# Notes\n\nMail kim@corp.io or call +49 30 1234567.\nThe token is ${token}.\n`
  expect(findSensitive(text)).toEqual([
    { line: 3, kind: "personal data", rule: "email", reason: "personal data" },
    { line: 3, kind: "personal data", rule: "phone", reason: "personal data" },
    { line: 4, kind: "secret", rule: "github-token", reason: "access token" },
  ])
})

test("no finding carries the value", () => {
  expect(JSON.stringify(findSensitive(`token: ${token}, kim@corp.io`))).not.toMatch(/ghp_|corp\.io/)
})

test("marks stand in the place of values, and the rest of the text stays", () => {
  expect(scrubText(`Mail kim@corp.io.\r\nUse ${token} here.\r\n`)).toBe(
    "Mail [email].\r\nUse [secret: access token] here.\r\n",
  )
})

test("what comes after a key of many lines is reported at its own line", () => {
  expect(findSensitive(`${key}${keyEnd}\nkim@corp.io\n`).map(({ line, rule }) => [line, rule])).toEqual([
    [1, "pem-private-key"],
    [5, "email"],
  ])
})

test("a key without an end takes none of the words below it along", () => {
  expect(scrubText(`${key}\nThis sentence stays\n`)).toBe("[secret: private key material]\n\nThis sentence stays\n")
})

test("scrubbing twice is scrubbing once", () => {
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
