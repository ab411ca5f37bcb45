import { cpSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { semEntry } from "./legacy-fixtures.ts"
import { makeRepository, runCli } from "./run-cli.ts"

const project = resolve(import.meta.dirname, "..")
const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))

test("installing the package brings no other package and runs no script", () => {
  const { dependencies, optionalDependencies, scripts, peerDependencies, peerDependenciesMeta } = manifest
  expect({ dependencies, optionalDependencies }).toEqual({})
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([])
  for (const name of Object.keys(peerDependencies)) expect(peerDependenciesMeta[name]).toEqual({ optional: true })
})

test("the package searches without the transformer, and shows how to get it", {
  timeout: 60_000,
}, async () => {
  const folder = makeRepository({})
  for (const name of [...manifest.files.filter((name: string) => !name.includes("*")), "package.json"])
    cpSync(join(project, name), join(folder, name), { recursive: true })
  const cwd = makeRepository({
    ".squad/decisions.md": semEntry("2026-02-03T09:00:00+0000", "decision", "Keep orders in PostgreSQL"),
  })
  const run = (...args: string[]) => runCli(args, { cwd, cli: join(folder, manifest.bin.drey) })
  expect((await run("search", "which database holds orders")).stdout).toContain("Keep orders in PostgreSQL")
  const { code, stderr } = await run("reindex", "--deep")
  expect(code).not.toBe(0)
  expect(stderr).toContain("MiniLM is not installed")
  const [, packages = ""] = /npm install (.*?)\. /.exec(stderr) ?? []
  for (const name of packages.split(" "))
    expect(manifest.peerDependencies).toHaveProperty([name.replace(/@[\d.]+$/, "")])
})

test("the lock file names no registry", () => {
  const lock = readFileSync(join(project, "package-lock.json"), "utf8")
  expect(lock.match(/"resolved": .*/g)).toEqual(['"resolved": "bench",', '"resolved": "vscode",']) // links to our own folders
})

test("the main package has at most 15 scripts, and those that others rely on", () => {
  const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(15)
  for (const name of ["start", "test", "test:fast", "build", "dev", "format", "docs", "bench", "prepack"])
    expect(scripts).toHaveProperty(name)
})
