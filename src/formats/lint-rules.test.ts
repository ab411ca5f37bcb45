import { expect, test } from "vitest"
import { brokenRules } from "./lint-rules.ts"

const found = (text: string) => brokenRules(text).map(({ rule, message }) => `${rule}: ${message}`)

test.each([
  [
    "Biome",
    "src/shop.ts:3:8 lint/performance/noNamespaceImport ━━━━━━━━━━\n\n  × Avoid namespace imports.\n\n    1 │ import * as fs",
    "noNamespaceImport: Avoid namespace imports.",
  ],
  ["golangci-lint", "cart/cart.go:12:4: do not call os.Exit here (revive)", "revive: do not call os.Exit here"],
  [
    "ESLint",
    "/shop/src/a.js\n  3:1  error  Unexpected var, use let or const instead  no-var",
    "no-var: Unexpected var, use let or const instead",
  ],
  ["Ruff", "shop/cart.py:7:5: T201 `print` found", "T201: `print` found"],
  [
    "Pylint",
    "shop/cart.py:7:4: W0102: Dangerous default value [] as argument (dangerous-default-value)",
    "dangerous-default-value: Dangerous default value [] as argument",
  ],
  [
    "RuboCop",
    "app/cart.rb:3:1: C: Style/Documentation: Missing top-level documentation comment.",
    "Style/Documentation: Missing top-level documentation comment.",
  ],
  [
    "markdownlint",
    "docs/a.md:9 error MD040/fenced-code-language Fenced code blocks should have a language specified",
    "MD040: Fenced code blocks should have a language specified",
  ],
])("%s names the rule that code broke", (_, output, expected) => {
  expect(found(output)).toEqual([expected])
})

test.each([
  ["src/shop.ts:3:8 lint/style/useTemplate  FIXABLE  ━━━━\n\n  × Template literals are preferred."],
  ["shop/cart.py:1:1: I001 [*] Import block is un-sorted or un-formatted"],
  ["app/cart.rb:3:1: C: [Correctable] Style/StringLiterals: Prefer single-quoted strings."],
])("what the linter repairs by itself is left out: %j", (output) => {
  expect(found(output)).toEqual([])
})

test("a rule is named once, and compiler errors and tests are not rules", () => {
  expect(found("a/b.go:1:2: use the logger (forbidigo)\na/c.go:9:2: use the logger (forbidigo)")).toHaveLength(1)
  expect(
    found("src/a.ts(3,1): error TS2304: Cannot find name 'x'.\nsrc/a.test.ts:4:1: AssertionError: expected 1 to be 2"),
  ).toEqual([])
})
