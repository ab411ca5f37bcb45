import { join } from "node:path"
import { type ProgramPlace, runProgram } from "./run-program.ts"
import { writeText } from "./write-text.ts"

/** The command that a test of the project needs to have been run; nothing in the project says so. */
export const remedy = "node tools/make-rates.js"

const files = {
  "package.json":
    '{ "name": "till", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test test/" } }\n',
  ".gitignore": "generated/\n",
  "src/price.js":
    'import { rates } from "../generated/rates.js"\n\nexport function gross(net, country) {\n  return net + (net * rates[country]) / 100\n}\n',
  "test/price.test.js":
    'import assert from "node:assert/strict"\nimport test from "node:test"\nimport { gross } from "../src/price.js"\n\ntest("adds the tax", () => assert.equal(gross(100, "de"), 119))\n',
  "tools/make-rates.js":
    'import { mkdirSync, writeFileSync } from "node:fs"\n\nmkdirSync("generated", { recursive: true })\nwriteFileSync("generated/rates.js", "export const rates = { de: 19 }\\n")\n',
}

/** A small git repository in which a test fails until a file has been generated. */
export async function makeProject(place: ProgramPlace): Promise<void> {
  for (const [path, text] of Object.entries(files)) writeText(join(place.cwd, path), text)
  const git = (...args: string[]) => runProgram(["git", ...args], place)
  await git("init", "--quiet", "--initial-branch", "main")
  await git("config", "user.name", "Ines Falk")
  await git("config", "user.email", "ines@example.com")
  await git("add", "--all")
  await git("commit", "--quiet", "--message", "A till that knows taxes")
}
