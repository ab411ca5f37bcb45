// Packs what would be published, has others judge its manifest and its types, and installs it into an empty folder.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { findUnlicensed } from "./find-unlicensed.ts"
import { findUnused } from "./find-unused.ts"
import { sizeOf } from "./size-of.ts"

const mostMegabytes = 85
const folder = mkdtempSync(join(tmpdir(), "drey-package-"))
try {
  const problems = await check()
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function check(): Promise<string[]> {
  const tarball = pack()
  const installed = install(tarball)
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true })
  return [
    ...messages.map((message) => `publint: ${formatMessage(message, manifest) ?? message.code}`),
    ...(await problemsOfTypes(tarball)),
    ...foreignTypes(join(installed, "dist", "types")),
    ...findUnused(installed, manifest).map((path) => `nothing leads to ${path}`),
    ...findUnlicensed(join(installed, "dist")).map((name) => `the terms of ${name} are not in the notices`),
  ]
}

function pack(): string {
  const started = performance.now()
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], { stdio: "pipe" })
  const [name = ""] = readdirSync(folder)
  const tarball = join(folder, name)
  console.log(`${name}: ${megabytes(statSync(tarball).size)}, packed in ${secondsSince(started)}`)
  return tarball
}

/** Installs it as on a fresh machine, and tries the command; returns the package's folder. */
function install(tarball: string): string {
  const [prefix, home] = [join(folder, "prefix"), join(folder, "home")]
  mkdirSync(home)
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    npm_config_cache: join(folder, "cache"),
    npm_config_offline: "true",
  }
  const started = performance.now()
  const flags = ["--prefix", prefix, "--no-audit", "--no-fund", "--no-update-notifier"]
  const said = execFileSync("npm", ["install", "-g", ...flags, tarball], { env, encoding: "utf8", cwd: home })
  const installed = join(prefix, "lib", "node_modules", "drey")
  console.log(`${said.trim()} (here ${secondsSince(started)}), ${megabytes(sizeOf(prefix))}, of it:`)
  const parts = [
    "assets",
    "dist/cli",
    "dist/lib",
    "dist/sqlite",
    "dist/tokenizer.js",
    "dist/types",
    "dist/ui",
    "templates",
  ]
  for (const part of parts) console.log(`  ${part.padEnd(18)} ${megabytes(sizeOf(join(installed, part))).padStart(8)}`)
  if (sizeOf(prefix) > mostMegabytes * 1e6) throw new Error(`more than ${mostMegabytes} MB are installed`)
  execFileSync(join(prefix, "bin", "drey"), ["demo", "--no-ui"], { env, cwd: home, stdio: "pipe" })
  console.log("drey demo runs")
  return installed
}

/** The package is for Node's ES modules and for bundlers: problems of older resolution modes are ignored. */
async function problemsOfTypes(tarball: string): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)))
  if (result.types === false) return ["are the types wrong: there are none"]
  const counted = result.problems.filter(
    (problem) =>
      problem.kind !== "CJSResolvesToESM" && !("resolutionKind" in problem && problem.resolutionKind === "node10"),
  )
  console.log(`types of ${Object.keys(result.entrypoints).join(", ")} checked`)
  return counted.map((problem) => `are the types wrong: ${JSON.stringify(problem)}`)
}

/** A package that declarations refer to, but that is not installed with this one, makes their types `any`. */
function foreignTypes(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".d.ts"))
    .flatMap((path) =>
      [...readFileSync(join(folder, path), "utf8").matchAll(/(?:from |import\()"(?!\.|node:)([^"]+)"/g)].map(
        ([, name]) => `${path} needs the types of ${name}`,
      ),
    )
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

function secondsSince(started: number): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`
}
