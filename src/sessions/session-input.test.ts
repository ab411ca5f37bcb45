import { expect, test } from "vitest"
import { DreyError } from "../errors.ts"
import { clearEdits, clearField } from "./session-input.ts"

const token = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_")

test("secrets and personal data are replaced by placeholders in every text, including keys", () => {
  const value = {
    [`key ${token}`]: [`use ${token}`, { owner: "mail ines.holm@firma.de" }],
    count: 3,
    isOpen: true,
    none: null,
  }
  expect(clearField("note", value)).toEqual({
    "key [secret: access token]": ["use [secret: access token]", { owner: "mail [email]" }],
    count: 3,
    isOpen: true,
    none: null,
  })
})

test("a value that is secret only by its name is withheld", () => {
  const password = ["Tr0ub4dor", "horse9"].join("-")
  expect(clearField("note", { password, port: "8080" })).toEqual({
    password: expect.not.stringContaining(password),
    port: "8080",
  })
})

test("the name of the field itself counts too, that of a list for its items, and names are redacted on the way", () => {
  const password = ["hunter2", "secret9"].join("")
  const edits = clearEdits([
    { op: "set", path: ["context", "taskContext", "password"], value: password },
    { op: "append", path: ["passwords"], value: password },
    { op: "set", path: ["context", token], value: [1] },
    { op: "set", path: ["attempts", 0, "output"], value: "all is well" },
  ])
  expect(JSON.stringify(edits)).not.toContain(password)
  expect(JSON.stringify(edits)).not.toContain(token)
  expect(edits[3]).toEqual({ op: "set", path: ["attempts", 0, "output"], value: "all is well" })
})

test("redaction is idempotent", () => {
  const once = clearField("note", { content: `use ${token}, ask ines.holm@firma.de`, password: "Tr0ub4dor-horse9" })
  expect(clearField("note", once)).toEqual(once)
})

test("terminal colours, carriage returns and hidden characters are removed", () => {
  expect(clearField("note", "\u001b[31mFAIL\u001b[39m one\r\ntwo\u200b\0")).toBe("FAIL one\ntwo")
})

test("values that a file cannot store are left out, and a cycle is refused", () => {
  const when = new Date("2026-01-23T10:30:00.000Z")
  expect(clearField("note", { act: () => 1, nothing: undefined, when, list: [undefined, 1] })).toEqual({
    when: "2026-01-23T10:30:00.000Z",
    list: [null, 1],
  })
  const circle: Record<string, unknown> = {}
  circle.self = circle
  expect(() => clearField("note", circle)).toThrow(DreyError)
})
