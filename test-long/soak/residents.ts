import type { ChildProcess } from "node:child_process"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import type { SoakPlace } from "./soak-place.ts"

type Call = { name: string; arguments: object }

/** A process that stays, and is started again when it was killed. */
export type Resident = {
  name: string
  /** Starts so far. */
  lives(): number
  /** Since the last start, in minutes, and what it has in memory; undefined where the system does not tell. */
  look(): { minute: number; megabytes: number } | undefined
  /** Undefined when it was killed before it answered. */
  ask?(call: Call): Promise<{ text: string; isError: boolean } | undefined>
  /** Ends it in order; the code it ended with, `undefined` when it had to be killed. */
  stop(): Promise<number | null | undefined>
}

const patienceMs = 20_000

function keepAlive(place: SoakPlace, name: string, args: readonly string[], onStart: (child: ChildProcess) => void) {
  let child: ChildProcess
  let began = 0
  let lives = 0
  let isOver = false
  const start = () => {
    child = place.start(name, args)
    began = performance.now()
    lives++
    child.stderr?.resume()
    child.once("exit", () => {
      if (!isOver) start()
    })
    onStart(child)
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
      isOver = true
      const ended = new Promise<number | null | undefined>((resolve) => {
        child.once("exit", resolve)
        setTimeout(() => resolve(undefined), patienceMs).unref()
      })
      child.kill("SIGTERM")
      const code = await ended
      if (code === undefined) child.kill("SIGKILL")
      return code
    },
  }
}

export function startWatching(place: SoakPlace): Resident {
  return keepAlive(place, "watch", ["watch", "--json"], (child) => child.stdout?.resume())
}

/** The browser app, asked for a list again and again by one who has come in. */
export function startServing(place: SoakPlace): Resident {
  return keepAlive(place, "ui", ["ui", "--no-open", "--port", "0", "--json"], (child) => {
    let text = ""
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
      const url = /"url": "([^"]+)"/.exec(text)?.[1]
      if (url === undefined) return
      text = ""
      browse(url, child).catch(() => {}) // it was killed meanwhile
    })
  })
}

async function browse(url: string, child: ChildProcess): Promise<void> {
  const entered = await fetch(url)
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? ""
  while (child.exitCode === null && child.signalCode === null) {
    for (const path of ["/api/items?q=recent:7d", "/api/overview", "/api/inbox"])
      await (await fetch(new URL(path, url), { headers: { cookie } })).text()
    await new Promise((resolve) => setTimeout(resolve, 2000))
  }
}

export function startMcp(place: SoakPlace): Resident {
  let waiting = new Map<number, (answer: { text: string; isError: boolean } | undefined) => void>()
  let current: ChildProcess | undefined
  let number = 0
  const send = (message: object) => current?.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const kept = keepAlive(place, "mcp", ["mcp"], (child) => {
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
