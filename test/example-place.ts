import { execFile } from "node:child_process"
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type FakeTeamServer, startFakeTeamServer } from "../src/server/client/test-server.ts"
import { wordsOf } from "./doc-blocks.ts"
import { dreyOnPath } from "./drey-on-path.ts"
import { legacyEntry, semEntry } from "./legacy-fixtures.ts"
import { type CliResult, makeRepository, runCli, runGit, writeFiles } from "./run-cli.ts"
import { runWarm } from "./warm-cli.ts"

type Place = {
  cwd: string
  home: string
  env: Record<string, string>
  server: FakeTeamServer
  /** A text in an example, and what replaces it here. */
  values: Map<string, string>
  /** Ids of learned memories, the best first. */
  learned: string[]
}

/** The demo's repository and home, with all that the examples in the help name, and a team's server on loopback. */
export async function openExamplePlace(): Promise<{ run(line: string): Promise<CliResult> }> {
  const place = await keepDemo()
  await furnish(place)
  await nameThings(place)
  return {
    async run(line) {
      await prepare(place, line)
      const known = [...place.values].reduce((text, [shown, meant]) => text.replaceAll(shown, meant), line)
      const result = await runLine(place, known.replace(/ +# .*/, ""))
      takeNote(place, line, result)
      return result
    },
  }
}

async function keepDemo(): Promise<Place> {
  const folder = makeRepository({})
  await runCli(["demo", "--keep"], { cwd: folder, env: { HOME: folder, DREY_HOME: `${folder}/.drey`, TMPDIR: folder } })
  const demo = join(folder, readdirSync(folder).find((name) => name.startsWith("drey-demo-")) ?? "")
  const home = join(demo, "home")
  const env = { HOME: home, DREY_HOME: join(home, ".drey"), DREY_USER: "ines", PATH: dreyOnPath(), EDITOR: "true" }
  const server = await startFakeTeamServer()
  return { cwd: join(demo, "ferry-tickets"), home, env, server, values: new Map(), learned: [] }
}

async function furnish(place: Place): Promise<void> {
  const { cwd, home } = place
  const { best }: { best: { id: string }[] } = await ask(place, "status")
  place.learned = best.map(({ id }) => id)
  writeFiles(cwd, files)
  writeFiles(home, { "memory.jsonl": files["exports/memory.jsonl"] })
  for (const folder of [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"])
    mkdirSync(join(home, folder), { recursive: true })
  const quotes = semEntry("2026-03-02T09:00:00+0000", "decision", "Quote strings with single quotes")
  appendFileSync(join(cwd, ".squad/decisions.md"), `\n${quotes}`)
  const gateway = semEntry("2026-03-01T09:00:00+0000", "memory", "The gateway does authentication", { author: "Kane" })
  appendFileSync(join(cwd, ".squad/agents/kane/history.md"), `\n${gateway}`)
  await ask(place, "export", "--out", "drey-export.json")
  await ask(place, "export", "--skills", "--out", "other-squad.json")
  await ask(place, "export", "--learned", "--out", "learned.json")
  const bundle = JSON.parse(readFileSync(join(cwd, "learned.json"), "utf8"))
  const about = { id: "m-00000000000000aa", key: null, text: "The staging server sends no mails." }
  writeFiles(cwd, { "learned.json": JSON.stringify({ ...bundle, memories: [{ ...bundle.memories[0], ...about }] }) })
  await ask(place, "import", "--learned", "learned.json")
}

async function nameThings(place: Place): Promise<void> {
  const { home, server, values, learned } = place
  const stored = await ask(
    place,
    "memory",
    "write",
    "The report takes four connections",
    "--class",
    "LOCAL",
    "--author",
    "kane",
  )
  const [entry] = await ask(place, "memory", "--type", "decision")
  const { taskId } = await ask(place, "context", "--task", "Install a package")
  const logs = readdirSync(join(home, ".claude"), { recursive: true, encoding: "utf8" })
  values
    .set("sem-3f9a2c41d0e7", entry.id)
    .set("0b9f1c2e-5a77-4c8e-9d52-3f6a0f1f8f11", stored.id)
    .set("t-1f0c22ab9d31", taskId)
    .set("m:4f2a91", learned[0] ?? "")
    .set("m:77c0de", learned[1] ?? "")
    .set("https://drey.example.com", server.url)
    .set("~/.claude/projects/-src-app/4f2a.jsonl", join(home, ".claude", logs.find((name) => name.endsWith("l")) ?? ""))
    .set("~/", `${home}/`)
}

/** What must be there before a line. */
async function prepare(place: Place, line: string): Promise<void> {
  const { cwd, server, values, learned } = place
  const [first = "", second = "", third = ""] = learned
  if (line.includes("--staged") || line.startsWith("drey import .git")) {
    runGit(cwd, "init", "-q")
    runGit(cwd, "add", "--all")
  }
  if (line.startsWith("drey import .git"))
    runGit(cwd, "commit", "-qm", "feat!: end a session after a day\n\nBREAKING CHANGE: sessions end after a day")
  if (line.startsWith("drey convert-memory") && !line.includes("--undo"))
    writeFiles(cwd, { ".squad/decisions.md": `# Decisions\n\n${legacyEntry("2026-03-02", "Use lanterns")}` })
  if (line.startsWith("drey session attempt finish attempt-002"))
    await ask(place, "session", "attempt", "start", "Draw the PDF with pdf-lib", "--agent", "developer")
  if (line.startsWith("drey forget m:")) values.set("m:4f2a91", second)
  if (/^drey (?:edit|forget|inbox) /.test(line)) await remember(place, line)
  if (line.startsWith("drey merge ")) await ask(place, "inbox", "accept", "--all") // the example of undo has brought one back
  if (line.startsWith("drey pin")) values.set("m:4f2a91", first)
  if (line.startsWith("drey team share")) values.set("m:4f2a91", third).set("m:77c0de", first)
  if (line.startsWith("drey team episodes")) server.agreed.add((await ask(place, "status")).project.id)
}

let examplesMade = 0

/** An entry or a proposal for a line that names one, and the entry that a proposal is merged into. */
async function remember(place: Place, line: string): Promise<void> {
  const proposed = line.startsWith("drey inbox") ? ["--propose"] : []
  const title = `Example ${++examplesMade}: ${line}`
  const { id } = await ask(place, "remember", `For ${title}`, "--title", title, ...proposed)
  place.values.set(" 4f2a", ` ${id}`)
  if (line.includes("9c01")) place.values.set("9c01", (await ask(place, "remember", `Beside it: ${line}`)).id)
}

/** What a line made that others name. */
function takeNote({ cwd, env, values }: Place, line: string, { stdout }: CliResult): void {
  rmSync(join(cwd, ".git"), { recursive: true, force: true }) // with git it is another project, of which nothing was learned
  const [, backup] = /^Backup written to \S+convert-(\w+)\.$/m.exec(stdout) ?? []
  if (backup) values.set("20261115T220600Z", backup)
  const [session] = /^\d{8}-\d{6}-[0-9a-f]{8}-\S+/.exec(stdout) ?? []
  if (!session || !line.startsWith("drey session start")) return
  env.DREY_SESSION = session
  values.set("20260214-091500-5e1c07d2-monthly-report", session).set("20260214-0915", session)
}

/** In a shell only where one is needed; never so that this process, in which the server is, has to wait. */
function runLine({ cwd, env }: Place, line: string): Promise<CliResult> {
  if (line.startsWith("drey ") && !/ [<>|] /.test(line))
    return runWarm(wordsOf(line).slice(1), { cwd, env, input: "token-of-kim\n" })
  return new Promise((resolve) => {
    execFile("bash", ["-eo", "pipefail", "-c", line], { cwd, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

async function ask({ cwd, env }: Place, ...args: string[]) {
  const { code, stdout, stderr } = await runWarm([...args, "--json"], { cwd, env })
  if (code !== 0) throw new Error(`drey ${args.join(" ")} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** What the examples name. */
const files = {
  "src/login.ts": "export const life = 600\n".repeat(12),
  ".squad/skills/release-train/SKILL.md":
    "---\nname: release-train\ndescription: How a release leaves\n---\n\nTag it.\n",
  "notes.txt": "The queue drops mails over 5 MB without a word.\n",
  "answer.txt": "The report is drawn with pdf-lib.\n",
  "token.txt": "token-of-kim\n",
  "prompts/tester.md": "You are the tester.\n",
  "MEMORY.md": "# Memory\n\n- Times are shown in the harbour's time zone.\n",
  "exports/memory.jsonl": `${JSON.stringify({ type: "entity", name: "harbour", entityType: "place", observations: ["Times are those of the harbour."] })}\n`,
  "AGENTS.md": "# Rules\n\n- Always show times with their zone\n",
  "docs/adr/0001-use-postgres.md":
    "# 1. Use Postgres\n\nDate: 2026-02-03\n\n## Status\n\nAccepted\n\n## Decision\n\nOrders are kept in Postgres.\n",
}
