import { expect, test } from "vitest"
import { groupChecks } from "./group-checks.ts"
import { groupDiagnostics } from "./group-diagnostics.ts"

const finding = { code: "no-date", severity: "warning", message: "It has no date.", text: "## Use tabs" } as const

test("findings of one line are grouped, and files with errors come first", () => {
  const files = groupDiagnostics([
    { ...finding, path: "many.md", line: 9 },
    { ...finding, path: "many.md", line: 2 },
    { ...finding, path: "many.md", line: 2, message: "It has no author." },
    { ...finding, path: "broken.md", line: 4, severity: "error" },
  ])
  expect(files.map(({ path, errors, count }) => ({ path, errors, count }))).toEqual([
    { path: "broken.md", errors: 1, count: 1 },
    { path: "many.md", errors: 0, count: 3 },
  ])
  expect(files[1]?.lines.map(({ line, findings }) => [line, findings.length])).toEqual([
    [2, 2],
    [9, 1],
  ])
})

test("a warning that asks for nothing is only worth knowing", () => {
  const check = { name: "rationale", status: "warn", message: "3 decisions say no why.", fix: null } as const
  const named = groupChecks([check, { ...check, severity: "info" }]).map(({ look, checks }) => [look, checks.length])
  expect(named).toEqual([
    ["fail", 0],
    ["warn", 1],
    ["info", 1],
    ["pass", 0],
  ])
})
