import { spawn } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { type Data, type Section, sections } from "./all/sections.ts"
import { describeRun, putSection } from "./all/write-page.ts"

/**
 * Runs every benchmark and writes docs/benchmarks.md: `npm run bench [-- --data FOLDER --only peers,recall --quick --page FILE]`. The page
 * is written after each, so that an interrupted run keeps what it has measured. Exit code 1 when one of them failed.
 * Arguments after a second `--` go to the one benchmark that --only names, whose output is then only printed:
 * `npm run bench -- --only team -- --memories 1000000`.
 */
const { values, positionals: ownArgs } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: "string" },
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    page: { type: "string" },
  },
})
if (values.quick && values.page === undefined) {
  console.error("Quick figures are not for the page that others read: name another one with --page FILE.")
  process.exit(2)
}
const pagePath = values.page ?? join("docs", "benchmarks.md")
const wanted = values.only?.split(",")
const unknown = wanted?.filter((name) => !sections.some((section) => section.name === name)) ?? []
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")}; there are ${sections.map(({ name }) => name).join(", ")}.`)
  process.exit(2)
}
if (ownArgs.length > 0 && wanted?.length !== 1) {
  console.error(`${ownArgs[0]}: arguments are for one benchmark. Name it: --only NAME -- ${ownArgs.join(" ")}`)
  process.exit(2)
}
const data: Data = {
  sets: folderOf("bench"),
  repositories: folderOf("corpora"),
  transcripts: folderOf("transcripts"),
  quick: values.quick,
}
for (const section of sections) {
  if (wanted ? !wanted.includes(section.name) : section.printedOnly) continue
  const args = ownArgs.length > 0 ? ownArgs : section.args(data)
  if (args === undefined) {
    console.log(`\n${section.name} is left out: it needs --data FOLDER`)
    continue
  }
  console.log(`\n=== ${section.title}\n`)
  const { output, code } = await run(section, args)
  if (code !== 0) {
    process.exitCode = 1
    console.log(`${section.name} ended with ${code} and is left as it was on the page`)
    continue
  }
  if (section.printedOnly || ownArgs.length > 0) continue
  const page = existsSync(pagePath) ? readFileSync(pagePath, "utf8") : ""
  const day = new Date().toISOString().slice(0, 10)
  writeFileSync(pagePath, withoutPlace(putSection(page, sections, section, describeRun(section, args, output, day))))
}

function folderOf(kind: string): string | undefined {
  if (values.data === undefined) return undefined
  const folder = resolve(values.data, kind)
  return existsSync(folder) ? folder : undefined
}

/** Paths of this machine do not belong on the page. */
function withoutPlace(page: string): string {
  return values.data === undefined ? page : page.replaceAll(resolve(values.data), "FOLDER")
}

async function run({ script }: Section, args: string[]): Promise<{ output: string; code: number | null }> {
  const child = spawn(process.execPath, [join("scripts", "run-ts.mjs"), join("bench", script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let output = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text
    process.stdout.write(text)
  })
  const code = await new Promise<number | null>((settle) => child.on("close", settle))
  return { output, code }
}
