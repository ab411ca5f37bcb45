import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Makes a transcript of a gigabyte and prints how much memory the built command line takes to ingest it. */
export async function ingestGigabyte(
  megabytes = 1000,
): Promise<{ megabytes: number; seconds: number; peakMegabytes: number; said: string }> {
  const folder = mkdtempSync(join(tmpdir(), "drey-gigabyte-"))
  try {
    const root = join(folder, "repository")
    mkdirSync(join(root, ".squad"), { recursive: true })
    const path = join(folder, "session.jsonl")
    writeSession(path, root, megabytes * 1e6)
    const started = performance.now()
    const { said, peakMegabytes } = await runWatched(["ingest", path, "--root", root], folder)
    return { megabytes, seconds: (performance.now() - started) / 1000, peakMegabytes, said }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs the built command line and looks at its largest memory until it ends; the kernel keeps that figure. */
async function runWatched(args: string[], home: string): Promise<{ said: string; peakMegabytes: number }> {
  const cli = join(process.cwd(), "dist", "cli.cjs")
  const environment = { ...process.env, DREY_HOME: join(home, "home"), HOME: home }
  const child = spawn(process.execPath, [cli, ...args], { env: environment, stdio: ["ignore", "pipe", "inherit"] })
  let said = ""
  child.stdout.on("data", (data) => {
    said += data
  })
  let peak = 0
  const look = setInterval(() => {
    const status = `/proc/${child.pid}/status`
    const kilobytes = existsSync(status) ? /VmHWM:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1] : undefined
    peak = Math.max(peak, Number(kilobytes ?? 0))
  }, 50)
  const [code] = await once(child, "close")
  clearInterval(look)
  if (code !== 0) throw new Error(`ingest ended with ${code}`)
  return { said: said.trim(), peakMegabytes: peak / 1000 }
}

/** Tasks one after the other: a prompt, reads, a failing test, an edit, a passing test; outputs of ordinary sizes, a few large ones. */
export function writeSession(path: string, cwd: string, bytes: number): void {
  const file = openSync(path, "w")
  const base = Date.parse("2026-10-01T08:00:00Z")
  const output = Array.from(
    { length: 400 },
    (_, at) => `  at module${at} (src/part-${at % 40}/file-${at}.ts:${at}:7)`,
  ).join("\n")
  let written = 0
  for (let record = 0; written < bytes; record++) {
    const task = Math.floor(record / 12)
    const common = {
      uuid: `record-${record}`,
      parentUuid: record === 0 ? null : `record-${record - 1}`,
      sessionId: "long-session",
      timestamp: new Date(base + record * 20_000).toISOString(),
      cwd,
      version: "2.1.0",
      isSidechain: false,
    }
    const size = record % 50 === 0 ? 200_000 : 4000 + (record % 7) * 900
    const line = JSON.stringify({
      ...common,
      ...recordOf(record % 12, task, record, output.repeat(Math.ceil(size / output.length)).slice(0, size)),
    })
    written += writeSync(file, `${line}\n`)
  }
  closeSync(file)
}

function recordOf(step: number, task: number, record: number, output: string): object {
  const call = (name: string, input: object) => ({
    type: "assistant",
    message: {
      id: `message-${record}`,
      role: "assistant",
      content: [{ type: "tool_use", id: `call-${record}`, name, input }],
    },
  })
  const result = (text: string, isError: boolean) => ({
    type: "user",
    message: {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `call-${record - 1}`, content: text, is_error: isError }],
    },
  })
  switch (step) {
    case 0:
      return {
        type: "user",
        message: { role: "user", content: `Now add part ${task} to the importer of module${task % 40}` },
      }
    case 1:
    case 3:
      return call("Read", { file_path: `src/part-${task % 40}/file-${record}.ts` })
    case 5:
      return call("Bash", { command: `npm test -- part-${task % 40}` })
    case 6:
      return result(`Exit code 1\nError: part ${task} is not registered\n${output}`, true)
    case 7:
      return call("Edit", { file_path: `src/part-${task % 40}/register.ts`, old_string: "a", new_string: "b" })
    case 9:
      return call("Bash", { command: `npm test -- part-${task % 40}` })
    case 10:
      return result(`Tests  12 passed (12)\n${output.slice(0, 500)}`, false)
    case 11:
      return {
        type: "assistant",
        message: { id: `message-${record}`, role: "assistant", content: [{ type: "text", text: "Part registered." }] },
      }
    default:
      return result(output, false)
  }
}
