import { existsSync } from "node:fs"
import { join } from "node:path"
import { readTextFile, settingsBytes } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { redactForbidden } from "../../governance/redaction.ts"
import type { StoreFolder } from "../team-folder.ts"

export const logLevels = ["none", "error", "info", "debug"] as const
export type MemoryLogLevel = (typeof logLevels)[number]

export type LogLevelRequest = { flag?: string | undefined; verbose?: boolean | undefined }
export type LogLevelSetting = {
  level: MemoryLogLevel
  warning?: string
  /** Formats a value for the log, redacted. */
  show: (value: unknown) => string
}

const show = (value: unknown) => redactForbidden(String(value))

/** The effective level: from the command line, else the environment, else the project, else `none`. */
export function resolveLogLevel(
  { flag, verbose }: LogLevelRequest,
  environment: NodeJS.ProcessEnv,
  folder: StoreFolder | undefined,
): LogLevelSetting {
  if (flag !== undefined) return { level: requireLevel(flag), show }
  if (verbose) return { level: "debug", show }
  const named = environment.DREY_MEMORY_LOG_LEVEL ?? environment.SQUAD_MEMORY_LOG_LEVEL
  if (named !== undefined && named !== "") return { level: requireLevel(named), show }
  const configured = folder && configuredLevel(folder)
  if (configured === undefined) return { level: "none", show }
  const level = readLevel(String(configured))
  return level === undefined ? { level: "none", warning: unknownLevel(String(configured)), show } : { level, show }
}

const synonyms: Record<string, MemoryLogLevel> = { silent: "none", off: "none", verbose: "debug", all: "debug" }

function readLevel(text: string): MemoryLogLevel | undefined {
  const word = text.trim().toLowerCase()
  return logLevels.find((level) => level === word) ?? synonyms[word]
}

function requireLevel(text: string): MemoryLogLevel {
  const level = readLevel(text)
  if (level === undefined) throw new DreyError(unknownLevel(text))
  return level
}

function unknownLevel(text: string): string {
  return `Unknown memory log level: ${redactForbidden(text)}. Expected none|error|info|debug.`
}

function configuredLevel(folder: StoreFolder): unknown {
  const path = join(folder.path, "config.json")
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readTextFile(path, { maxBytes: settingsBytes }).text)?.memory?.logLevel
  } catch {
    return undefined // `doctor` reports a broken config.json; a missing log level must not block a write
  }
}
