import { execFileSync } from "node:child_process"
import { resolve } from "node:path"
import { expect, test } from "vitest"

test("docs/cli.md and the published schemas match the code", () => {
  const script = resolve(import.meta.dirname, "..", "scripts", "write-docs.mjs")
  expect(() => execFileSync(process.execPath, [script, "--check"], { stdio: "pipe" })).not.toThrow()
})
