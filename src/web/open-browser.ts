import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { makeFolder, removeFileDurable, writeFileAtomic } from "../disk/write-file-atomic.ts"
import { redirectPage } from "./plain-pages.ts"

const longestMs = 5 * 60_000

/**
 * Opens a link in the user's browser; whether that worked nobody tells, so it is printed as well. Every user of the machine can read the
 * arguments of a program, and the link lets in who has it: the browser is given a file in this folder, which only the user can read and
 * which leads to the link. Returns what removes the file, for when the link was used; after some minutes it goes by itself.
 */
export function openBrowser(url: string, folder: string, platform: NodeJS.Platform = process.platform): () => void {
  makeFolder(folder, 0o700)
  removeOld(folder)
  const path = join(folder, `open-${randomBytes(8).toString("hex")}.html`)
  writeFileAtomic(path, redirectPage(url), { mode: 0o600 })
  const remove = () => {
    clearTimeout(timer)
    if (existsSync(path)) removeFileDurable(path)
  }
  const timer = setTimeout(remove, longestMs).unref()
  const [program, ...args] = commandFor(path, platform)
  const child = spawn(program, args, { stdio: "ignore", detached: true })
  child.on("error", () => {}) // there is no such program: the printed link will do
  child.unref()
  return remove
}

/** What killed processes left: their links lead nowhere any more. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => /^open-[0-9a-f]{16}\.html$/.test(each))) {
    const path = join(folder, name)
    const found = statSync(path, { throwIfNoEntry: false }) // another process may have removed it
    if (found && Date.now() - found.mtimeMs > longestMs) removeFileDurable(path)
  }
}

/** No shell reads the path: it goes to the program as it is. */
function commandFor(path: string, platform: NodeJS.Platform): [string, ...string[]] {
  if (platform === "darwin") return ["open", path]
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", path]
  return ["xdg-open", path]
}
