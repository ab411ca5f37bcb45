import { execFileSync } from "node:child_process"
import { resolve } from "node:path"
import { expect, test } from "vitest"

test("the WebAssembly modules are what their text compiles to", () => {
  const script = resolve(import.meta.dirname, "..", "..", "scripts", "compile-wat.mjs")
  expect(execFileSync(process.execPath, [script, "--check"], { encoding: "utf8" })).toBe("") // throws when one is not
})
