import { readFileSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"

/** The normalized URL of this repository's remote; undefined without one. */
export function remoteOf(top: string): string | undefined {
  const common = commonFolder(top)
  const config = readIfAny(join(common, "config"))
  const remote = config === undefined ? undefined : remoteIn(config)
  return remote ? normalizeRemote(remote, basename(common) === ".git" ? dirname(common) : common) : undefined
}

/** The URL of `origin`, else of the first remote, in a `.git/config`; undefined without one. */
export function remoteIn(config: string): string | undefined {
  const remotes = new Map<string, string>()
  let remote: string | undefined
  for (const line of logicalLines(config)) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line)
    if (header) remote = header[1]?.toLowerCase() === "remote" ? header[2]?.replace(/\\(.)/g, "$1") : undefined
    const setting = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec(header ? line.slice(header[0].length) : line)
    if (remote === undefined || setting?.[1]?.toLowerCase() !== "url" || remotes.has(remote)) continue
    remotes.set(remote, plainValue(setting[2] ?? ""))
  }
  return remotes.get("origin") ?? [...remotes.values()][0]
}

/** A trailing backslash continues the line. */
function logicalLines(text: string): string[] {
  return text.replace(/\r\n/g, "\n").replace(/\\\n/g, "").split("\n")
}

/** Without quotes, escapes and comments. */
function plainValue(written: string): string {
  let value = ""
  let isQuoted = false
  for (let at = 0; at < written.length; at++) {
    const sign = written[at] as string
    if (sign === "\\") value += written[++at] ?? ""
    else if (sign === '"') isQuoted = !isQuoted
    else if (!isQuoted && (sign === "#" || sign === ";")) break
    else value += sign
  }
  return value.trim()
}

/**
 * One form for every way to write a repository's URL: `host/owner/repo`, without credentials, port and `.git`, the host
 * in lower case. A local path, which may be relative to `top`, stays a path.
 */
export function normalizeRemote(remote: string, top: string): string {
  const url = /^([a-z][a-z0-9+.-]*):\/\/(?:[^@/]*@)?(\[[^\]/]*\]|[^:/]*)(?::\d*)?(\/.*)?$/i.exec(remote)
  const scp = /^(?:[^@/:]*@)?(\[[^\]/]+\]|[^:/[]{2,}):(?!\/\/)(.*)$/.exec(remote) // a single letter would be a drive
  const [host = "", path = ""] = url ? [url[2], url[3]] : scp ? [scp[1], scp[2]] : []
  if (host !== "") return `${host.toLowerCase()}/${withoutEnds(path)}`
  return withoutEnds(resolve(top, url ? path : remote), "end")
}

function withoutEnds(path: string, ends: "both" | "end" = "both"): string {
  const short = path.replace(/\/{1,20}$/, "").replace(/\.git$/, "")
  return ends === "both" ? short.replace(/^\/{1,20}/, "") : short
}

/** The folder that all worktrees of a repository share; a worktree's `.git` is a file that points to it. */
export function commonFolder(top: string): string {
  const entry = join(top, ".git")
  if (statSync(entry, { throwIfNoEntry: false })?.isDirectory()) return entry
  const own = /^gitdir: (.*)/.exec(readIfAny(entry) ?? "")?.[1]?.trim()
  if (own === undefined) return entry
  const folder = resolve(top, own)
  const shared = readIfAny(join(folder, "commondir"))?.trim()
  return shared ? resolve(folder, shared) : folder
}

/** An unreadable file is ignored: the repository is then identified by its path. */
function readIfAny(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
