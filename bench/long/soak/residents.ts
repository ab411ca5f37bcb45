import type { ChildProcess } from "node:child_process"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { enter } from "../../../test/ui/browse.ts"
import { noteFault, type SoakLog } from "./soak-log.ts"
import type { SoakPlace } from "./soak-place.ts"

type Call = { name: string; arguments: object }

/** A process that stays, and is restarted when it ended; an exit without a kill is recorded as a fault. */
export type Resident = {
  name: string
  /** Starts so far. */
  lives(): number
  /** Since the last start, in minutes, and what it has in memory; undefined where the system does not tell. */
  look(): { minute: number; megabytes: number } | undefined
  /** Undefined when it was killed before it answered. */
  ask?(call: Call): Promise<{ text: string; isError: boolean } | undefined>
  /** Ends it in order. */
  stop(): Promise<void>
}

const patienceMs = 20_000

function keepAlive(
  place: SoakPlace,
  log: SoakLog,
  name: string,
  args: readonly string[],
  onStart: (child: ChildProcess, isMeantToEnd: () => boolean) => void,
) {
  let child: ChildProcess
  let began = 0
  let lives = 0
  let isOver = false
  const start = () => {
    const started = place.start(name, args)
    const isMeantToEnd = () => isOver || place.wasKilled(started)
    child = started
    began = performance.now()
    lives++
    let complaint = ""
    started.stderr?.setEncoding("utf8").on("data", (piece: string) => {
      complaint = (complaint + piece).slice(-1000)
    })
    started.once("exit", () => {
      if (!isOver) start()
    })
    started.once("close", (code, signal) => {
      if (!isMeantToEnd()) noteFault(log, name, `ended by itself with ${code ?? signal}: ${complaint}`)
    })
    onStart(started, isMeantToEnd)
  }
  start()
  return {
    name,
    lives: () => lives,
    look() {
      const megabytes = residentMegabytes(child.pid)
      return megabytes === undefined ? undefined : { minute: (performance.now() - began) / 60_000, megabytes }
    },
    async stop() {
      if (isOver) return
      isOver = true
      const ended = new Promise<number | null | undefined>((resolve) => {
        child.once("exit", resolve)
        setTimeout(() => resolve(undefined), patienceMs).unref()
      })
      child.kill("SIGTERM")
      const code = await ended
      if (code === undefined) child.kill("SIGKILL")
      if (code !== 0)
        noteFault(log, name, `was asked to end, and ${code === undefined ? "did not" : `did with ${code}`}`)
    },
  }
}

export function startWatching(place: SoakPlace, log: SoakLog): Resident {
  return keepAlive(place, log, "watch", ["watch", "--json"], (child) => child.stdout?.resume())
}

/** The browser app, asked for a list again and again by one who has come in. */
export function startServing(place: SoakPlace, log: SoakLog): Resident {
  return keepAlive(place, log, "ui", ["ui", "--no-open", "--port", "0", "--json"], (child, isMeantToEnd) => {
    let text = ""
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
      const url = /"url": "([^"]+)"/.exec(text)?.[1]
      if (url === undefined) return
      text = ""
      browse(url, isMeantToEnd, (words) => noteFault(log, "ui", words))
    })
  })
}

async function browse(url: string, isMeantToEnd: () => boolean, complain: (words: string) => void): Promise<void> {
  const ask = async (path: string, key: string) => {
    const response = await fetch(new URL(path, url), { headers: { "x-drey-key": key } })
    await response.text()
    if (response.status >= 400) complain(`answered ${path} with ${response.status}`)
  }
  try {
    const key = await enter(url)
    while (!isMeantToEnd()) {
      for (const path of ["/api/items?q=recent:7d", "/api/overview", "/api/inbox"]) await ask(path, key)
      await new Promise((resolve) => setTimeout(resolve, 2000))
    }
  } catch (error) {
    if (!isMeantToEnd()) complain(`did not answer: ${error}`)
  }
}

export function startMcp(place: SoakPlace, log: SoakLog): Resident {
  let waiting = new Map<number, (answer: { text: string; isError: boolean } | undefined) => void>()
  let current: ChildProcess | undefined
  let number = 0
  const send = (message: object) => current?.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const kept = keepAlive(place, log, "mcp", ["mcp"], (child) => {
    current = child
    const open = new Map<number, (answer: { text: string; isError: boolean } | undefined) => void>()
    waiting = open
    child.once("exit", () => {
      for (const tell of open.values()) tell(undefined)
    })
    const clientInfo = { name: "soak", version: "1" }
    send({ id: "hello", method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } })
    send({ method: "notifications/initialized" })
    if (!child.stdout) return
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { id, result, error } = JSON.parse(line) as {
        id: number
        result?: { content?: { text: string }[]; isError?: boolean }
        error?: { message: string }
      }
      open.get(id)?.({
        text: error?.message ?? result?.content?.[0]?.text ?? "",
        isError: error !== undefined || result?.isError === true,
      })
      open.delete(id)
    })
  })
  return {
    ...kept,
    ask(call) {
      const id = ++number
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        send({ id, method: "tools/call", params: call })
      })
    },
  }
}

function residentMegabytes(pid: number | undefined): number | undefined {
  if (process.platform !== "linux") return undefined
  try {
    const kilobytes = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
  } catch {
    return undefined // it has just ended
  }
}
