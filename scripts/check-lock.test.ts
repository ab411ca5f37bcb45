import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { readLock, requireHashes, requireSame } from "./check-lock.mjs"

const project = resolve(import.meta.dirname, "..")
const integrity = `sha512-${"A".repeat(86)}==`
const oak = { version: "1.0.0", integrity }

test("every package of the lock file has a hash, and what is installed here is what it names", () => {
  const lock = readLock(join(project, "package-lock.json"))
  expect(() => requireHashes(lock, ["bench", "vscode"])).not.toThrow()
  expect(Object.entries(lock).filter(([, { resolved }]) => resolved?.includes(":"))).toEqual([]) // no registry's host
  expect(() => requireSame(readLock(join(project, "node_modules", ".package-lock.json")), lock)).not.toThrow()
})

test.each([
  ["no hash", { version: "1.0.0" }],
  ["a weak hash", { ...oak, integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }],
  ["a link", { ...oak, link: true }],
  ["an address outside of a registry", { ...oak, resolved: "git+ssh://git@example.com/oak.git" }],
])("a package with %s is not installed", (_what, entry) => {
  expect(() => requireHashes({ "node_modules/elm": oak, "node_modules/oak": entry })).toThrow(/for node_modules\/oak$/)
})

test("a workspace of this repository is linked without a hash, and no other folder", () => {
  const link = { resolved: "bench", link: true }
  const lock = { bench: { version: "0.0.0" }, "node_modules/drey-bench": link }
  expect(() => requireHashes(lock, ["bench"])).not.toThrow()
  expect(() => requireHashes({ "node_modules/oak": { ...link, resolved: "../oak" } }, ["bench"])).toThrow(/oak$/)
})

test("what the lock file does not name, or names in another version, is not built from", () => {
  const lock = { "node_modules/oak": oak }
  expect(() => requireSame(lock, lock)).not.toThrow()
  expect(() => requireSame({}, lock)).not.toThrow() // of another platform
  for (const entry of [
    { ...oak, version: "1.0.1" },
    { ...oak, integrity: `sha512-${"B".repeat(86)}==` },
  ])
    expect(() => requireSame({ "node_modules/oak": entry }, lock)).toThrow(/node_modules\/oak$/)
  expect(() => requireSame({ "node_modules/elm": oak }, lock)).toThrow(/node_modules\/elm$/)
})
