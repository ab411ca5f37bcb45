import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { readPage, takeBlocks } from "./doc-blocks.ts"
import { serveOwnRegistry } from "./own-registry.ts"
import { makeRepository } from "./run-cli.ts"

const project = resolve(import.meta.dirname, "..")
const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
const [fromRegistry = "", fromClone = ""] = takeBlocks("docs/install.md", "sh", 2)

test("who has nothing yet installs and tries Drey with the lines of the README and of the page about it", {
  timeout: 240_000,
}, async () => {
  const { home, run } = await emptyMachine()
  const [firstLines = ""] = takeBlocks("README.md", "sh", 1)
  const tried = await run(firstLines, { cwd: makeRepository({ "package.json": "{}" }) })
  expect(tried).toMatchObject({ code: 0, stdout: expect.stringContaining("── Done\n") })
  expect(tried.stdout).toMatch(/^created +\.squad/m)
  const installed = await run(`${fromRegistry}drey --version`)
  expect(installed).toMatchObject({ code: 0, stdout: expect.stringMatching(new RegExp(`\n${manifest.version}\n$`)) })
  expect(readdirSync(home).sort()).toEqual([".drey", ".npm", "global"]) // .drey is that of `drey init`
})

test("what is installed from a clone is the package that was packed there", () => {
  expect(fromClone.split("\n").map((line) => line.replace(/ +#.*/, ""))).toEqual([
    "npm install",
    "npm pack",
    `npm install -g ./drey-${manifest.version}.tgz`,
    "",
  ])
  expect(manifest.scripts.prepack).toBe("node scripts/build.mjs")
})

test("the optional packages are asked for in versions that Drey works with", () => {
  const packages = [...readPage("docs/install.md").matchAll(/`npm install -g (@[^`]+)`/g)].flatMap(([, names = ""]) =>
    names.split(" "),
  )
  const wanted = packages.map((each) => /^(.+)@(.+?)$/.exec(each)?.slice(1))
  expect(wanted.map(([name] = []) => name).sort()).toEqual(Object.keys(manifest.peerDependencies).sort())
  for (const [name = "", version = ""] of wanted.map((each) => each ?? []))
    expect(manifest.peerDependencies[name].replace("^", ""), name).toMatch(
      new RegExp(`^${version.replaceAll(".", "\\.")}`),
    )
})

/** A home with nothing in it, and npm with a registry that has Drey alone. */
async function emptyMachine() {
  const registry = await serveOwnRegistry(project)
  const home = makeRepository({})
  const prefix = join(home, "global")
  mkdirSync(prefix)
  const env = {
    PATH: `${join(prefix, "bin")}:${process.env.PATH}`,
    HOME: home,
    ...{ npm_config_prefix: prefix, npm_config_registry: registry, npm_config_update_notifier: "false" },
  }
  expect(existsSync(join(home, ".npm"))).toBe(false)
  const run = async (script: string, { cwd = home } = {}) => {
    const child = spawn("sh", ["-e", "-c", script], { cwd, env, stdio: ["ignore", "pipe", "inherit"] })
    let stdout = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
    })
    const [code] = await once(child, "close")
    return { code, stdout }
  }
  return { home, run }
}
