import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { arch, homedir, release, userInfo } from "node:os"
import { basename, join } from "node:path"
import type { Config } from "../../config.ts"
import type { Check } from "../../formats/check.ts"
import { redactPersonalData, redactSecrets } from "../../governance/redaction.ts"
import type { TeamStore } from "../team-folder.ts"

/** What a maintainer needs to see of an installation: states, sizes and settings; no text of a memory, a prompt or a file. */
export type BugReport = {
  about: string
  versions: { drey: string; node: string; platform: string; arch: string; release: string }
  checks: Pick<Check, "name" | "status" | "severity" | "message">[]
  /** Settings by name; where a value could be private, only whether it is set. */
  config: Record<string, unknown>
  /** The names of the DREY_ variables that are set, without their values. */
  environment: string[]
  /** In bytes, by file or folder of Drey's home; of the team folder the number of files too. */
  sizes: { home: Record<string, number>; team: { name: string; files: number; bytes: number }[] }
  /** The last lines of the log and of the errors in hooks, with paths cut to their last part and quoted text left out. */
  log: { file: string; lines: string[] }[]
}

export type BugReportInput = {
  version: string
  checks: readonly Check[]
  /** Undefined when a settings file cannot be read; the checks say why. */
  config: Config | undefined
  store: TeamStore
  home: string
  environment: NodeJS.ProcessEnv
}

const mostLines = 200

export function makeBugReport({ version, checks, config, store, home, environment }: BugReportInput): BugReport {
  return {
    about:
      "Made by drey check --bundle: versions, results of checks, settings without private values, sizes and recent log lines. It contains no text of memories. Read it before you send it.",
    versions: {
      drey: version,
      node: process.versions.node,
      platform: process.platform,
      arch: arch(),
      release: release(),
    },
    checks: checks.map(({ name, status, severity, message }) => ({
      name,
      status,
      ...(severity && { severity }),
      message: maskMessage(message),
    })),
    config: config ? describeConfig(config) : {},
    environment: Object.keys(environment)
      .filter((name) => name.startsWith("DREY_"))
      .sort(),
    sizes: {
      home: Object.fromEntries(homeParts.map((name) => [name, sizeOf(join(home, name)).bytes])),
      team: store.folders.map(({ name, path }) => ({ name, ...sizeOf(path) })),
    },
    log: ["hook.log", "log/drey.log"]
      .filter((file) => existsSync(join(home, file)))
      .map((file) => ({ file, lines: lastLines(join(home, file)).map(maskLine) })),
  }
}

const homeParts = ["config.json", "contexts", "drey.db", "hook.log", "hooks", "index", "log", "state", "trust.json"]

/** Named one by one: a setting added later is left out until someone decides that it may be shown. */
function describeConfig({ compat, limits, recall, sessions, project, writer, warnings }: Config): BugReport["config"] {
  const shown =
    writer.kind === "unusable"
      ? { kind: writer.kind }
      : { kind: writer.kind, provider: writer.provider, model: isSet(writer.model), timeoutMs: writer.timeoutMs }
  return {
    compat: { squadui: compat.squadui },
    limits: { historyBytes: limits.historyBytes },
    recall: { ...recall },
    sessions: { root: isSet(sessions.root) },
    project: { id: isSet(project.id), name: isSet(project.name) },
    writer: shown,
    warnings: warnings.length,
  }
}

function isSet(value: string | undefined): "set" | "not set" {
  return value === undefined ? "not set" : "set"
}

/** A check lists what it found after a colon, and quotes the rest: neither is shown. */
function maskMessage(message: string): string {
  return maskLine(message.replace(/: [^.]*(?:\.(?!\s|$)[^.]*)*/g, ": …"))
}

const quoted = /"[^"]*"|`[^`]*`|“[^”]*”|«[^»]*»|'[^']{2,}'/g
const path = /(?:[A-Za-z]:)?[^\s"=(,;]*[/\\][^\s"=),;]*/g

function maskLine(line: string): string {
  const user = new RegExp(`(?<![\\p{L}\\p{N}])${escapeForPattern(userInfo().username)}(?![\\p{L}\\p{N}=])`, "giu")
  const masked = line
    .replace(quoted, "…")
    .replaceAll(homedir(), "~")
    .replace(/\b(root)=\S+/g, "$1=…")
    .replace(path, (found) => `…/${basename(found.replaceAll("\\", "/"))}`)
  return redactPersonalData(redactSecrets(masked)).text.replace(user, "user")
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
}

function lastLines(file: string): string[] {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-mostLines)
}

function sizeOf(path: string): { files: number; bytes: number } {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return { files: found ? 1 : 0, bytes: found?.size ?? 0 }
  const total = { files: 0, bytes: 0 }
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const { files, bytes } = sizeOf(join(path, entry.name))
    total.files += files
    total.bytes += bytes
  }
  return total
}
