import { statSync } from "node:fs"
import { dirname } from "node:path"
import { appendToHome, makeHomeFolder, renameInHome } from "./disk/home-files.ts"

/** What `DREY_LOG` can name, separated by commas; `all` is every channel. */
export const logChannels = ["hook", "index", "learning", "recall"] as const

export type LogChannel = (typeof logChannels)[number]

/** Logs one step: its name, the time since the last one, and details. Never the text of a memory or a prompt. */
export type LogStep = (step: string, details?: Record<string, string | number | boolean | undefined>) => void

/**
 * The log of a channel, undefined unless `DREY_LOG` names it: `log?.("gather", { items: all.length })` then does not even count. Lines go
 * to stderr, or to the file that `DREY_LOG_FILE` names; hooks set it, since a client may show what a hook prints.
 */
export function openLog(channel: LogChannel, environment: NodeJS.ProcessEnv = process.env): LogStep | undefined {
  const wanted = environment.DREY_LOG
  if (!wanted || !isNamed(channel, wanted)) return undefined
  let last = performance.now()
  return (step, details = {}) => {
    const now = performance.now()
    const shown = Object.entries(details).flatMap(([name, value]) =>
      value === undefined ? [] : `${name}=${quote(value)}`,
    )
    const parts = [new Date().toISOString(), process.pid, channel, step, `${(now - last).toFixed(1)}ms`, ...shown]
    last = now
    writeLine(`${parts.join(" ")}\n`, environment.DREY_LOG_FILE)
  }
}

function isNamed(channel: LogChannel, wanted: string): boolean {
  const names = wanted.split(",").map((name) => name.trim())
  return names.includes(channel) || names.includes("all")
}

function quote(value: string | number | boolean): string {
  return typeof value === "string" && /[\s"=]|^$/.test(value) ? JSON.stringify(value) : String(value)
}

const mostBytes = 1024 * 1024

/** A log file that grows too long becomes `NAME.old`, so that there are never more than two. */
function writeLine(line: string, file: string | undefined): void {
  if (!file) {
    process.stderr.write(line)
    return
  }
  try {
    makeHomeFolder(dirname(file))
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameInHome(file, `${file}.old`)
    appendToHome(file, line)
  } catch (error) {
    // The work being logged must not fail because of its log.
    process.stderr.write(
      `drey: cannot write the log ${file}: ${error instanceof Error ? error.message : error}\n${line}`,
    )
  }
}
