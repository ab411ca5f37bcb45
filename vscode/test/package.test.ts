import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { deflateRawSync } from "node:zlib"
import { beforeAll, expect, test } from "vitest"

const folder = "vscode"
const read = (path: string) => readFileSync(join(folder, path), "utf8")
const manifest = JSON.parse(read("package.json"))
const words: Record<string, string> = JSON.parse(read("package.nls.json"))
const source = readdirSync(join(folder, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => read(join("src", path)))
  .join("\n")

beforeAll(() => void execFileSync(process.execPath, ["vscode/build.mjs"]))

test("what is packed is under 1 MB, and has its licence, page, changelog and icon", () => {
  const kept = read(".vscodeignore")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1))
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    kept.some(
      (pattern) =>
        path === pattern ||
        (pattern.includes("*") && path.startsWith(pattern.slice(0, pattern.indexOf("*"))) && /\.\w+$/.test(path)),
    ),
  )
  expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "CHANGELOG.md", manifest.icon]))
  expect(files.some((path) => path.includes("node_modules") || path.endsWith(".ts"))).toBe(false)
  const size = files.reduce((sum, path) => sum + deflateRawSync(readFileSync(join(folder, path))).length, 0)
  console.log(`packed: ${Math.round(size / 1024)} KB`)
  expect(size).toBeLessThan(1_000_000)
})

test("every text of the manifest can be translated, and none is left over", () => {
  const used = [...read("package.json").matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key)
  expect([...new Set(used)].sort()).toEqual(Object.keys(words).sort())
  const bundle: Record<string, string> = JSON.parse(read("l10n/bundle.l10n.json"))
  const shown = [...source.matchAll(/\bl10n\.t\(\s*"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => JSON.parse(`"${text}"`))
  expect(Object.keys(bundle).sort()).toEqual([...new Set(shown)].sort())
})

test("every command of the manifest exists, and every setting is read", () => {
  for (const { command } of manifest.contributes.commands) {
    const name = command.replace("drey.", "")
    expect([name, new RegExp(`"drey\\.${name}"|^\\s+(?:async )?${name}[(:]`, "m").test(source)]).toEqual([name, true])
  }
  for (const key of Object.keys(manifest.contributes.configuration.properties))
    expect([key, source.includes(`"${key.replace("drey.", "")}"`)]).toEqual([key, true])
  for (const { path } of manifest.contributes.snippets) expect(existsSync(join(folder, path))).toBe(true)
})

test("it runs in VS Code 1.85, uses no proposed API, and only reads without trust", () => {
  expect(manifest.engines.vscode).toBe("^1.85.0")
  expect(manifest.enabledApiProposals).toBeUndefined()
  const { untrustedWorkspaces } = manifest.capabilities
  expect(untrustedWorkspaces).toMatchObject({ supported: "limited", restrictedConfigurations: ["drey.path"] })
})
