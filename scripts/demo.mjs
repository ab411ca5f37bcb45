// Shows the main job on the bundled sample repository: every line below a "$" is printed by the command it names.
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "drey-demo-"))
try {
  cpSync(join(root, "templates", "sample"), folder, { recursive: true })
  say("A team's memory as it is found: headings, labels and dates in five different styles.")
  drey("memory")
  say("What Drey would make of it:")
  drey("convert-memory", "--dry-run", "--verbose")
  say("Done, with a backup:")
  drey("convert-memory")
  say("One of the entries now:")
  console.log(entryOf(join(folder, ".squad", "decisions.md"), "One database for orders and stock"))
  say("The same questions, the same ids, and what is left to look at:")
  drey("memory", "--type", "decision", "--author", "Tomas")
  drey("validate")
  say("An agent writes a decision down; a secret does not get in:")
  drey(
    "memory",
    "write",
    "--content",
    "Use one retry budget for all clients",
    "--class",
    "DECISION",
    "--author",
    "tomas",
  )
  drey("memory", "write", `The staging password is ${["hunter2", "Xy9!"].join("-")}`)
  say("The inbox is merged, and the merge can be taken back:")
  drey("merge")
  drey("undo", "--dry-run")
  say("An agent is handed what bears on its task, each record quoted with its source:")
  drey("context", "--agent", "tomas", "--task", "Checkout hangs when the warehouse does not answer")
  say("Why that one?")
  drey("context", "--task", "Checkout hangs when the warehouse does not answer", "--explain", "--budget", "600")
  say("Anything else, in other words than were written:")
  drey("search", "timezones", "--limit", "1")
  say("An hour ago an agent worked here. Drey reads its transcript and learns, without a model:")
  writeFileSync(join(folder, "session.jsonl"), sessionOf(Date.now() - 3_600_000))
  drey("ingest", "session.jsonl")
  say("The next agent with a like task is told, and so are its reasons:")
  drey("context", "--task", "The checkout tests fail, find out why", "--budget", "300")
  drey("status")
  say("How healthy is it?")
  drey("doctor")
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function drey(...args) {
  console.log(`$ drey ${args.join(" ")}`)
  const result = spawnSync(process.execPath, [join(root, "dist", "cli.cjs"), ...args], {
    cwd: folder,
    stdio: "inherit",
    env: { ...process.env, DREY_HOME: join(folder, "home") },
  })
  // 1 is an answer ("something needs review"); anything above it means that the demonstration itself is broken.
  if (result.status === null || result.status > 1) process.exit(result.status ?? 3)
  console.log()
}

/** The sample transcript, as if it had been written at that time. */
function sessionOf(start) {
  const text = readFileSync(join(root, "templates", "sample-session.jsonl"), "utf8")
  const first = Date.parse(/"timestamp":"([^"]+)"/.exec(text)[1])
  return text.replace(/"timestamp":"([^"]+)"/g, (_, time) => {
    return `"timestamp":"${new Date(start + Date.parse(time) - first).toISOString()}"`
  })
}

function say(text) {
  console.log(`── ${text}\n`)
}

function entryOf(path, title) {
  const text = readFileSync(path, "utf8")
  const start = text.lastIndexOf("### ", text.indexOf(title))
  return text.slice(start, text.indexOf("\n---\n", start) + 5)
}
