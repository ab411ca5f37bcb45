import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { makeFolder, removeFileDurable, writeFileAtomic } from "../disk/atomic-write.ts"

const longestMs = 5 * 60_000

/**
 * Opens a link in the user's browser. Process arguments are visible to every user of the machine, so the browser opens a private file that
 * redirects to the link. Returns a function that removes the file; it is also removed after some minutes. Whether the browser opened is
 * unknown, so callers print the link too.
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
  child.on("error", () => {}) // no such program: the link is printed as well
  child.unref()
  return remove
}

/** Removes files left by killed processes. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => /^open-[0-9a-f]{16}\.html$/.test(each))) {
    const path = join(folder, name)
    const found = statSync(path, { throwIfNoEntry: false }) // another process may have removed it
    if (found && Date.now() - found.mtimeMs > longestMs) removeFileDurable(path)
  }
}

/** The path is passed as an argument, without a shell. */
function commandFor(path: string, platform: NodeJS.Platform): [string, ...string[]] {
  if (platform === "darwin") return ["open", path]
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", path]
  return ["xdg-open", path]
}

/** Takes the browser from a file of the user's on to a link. */
export function redirectPage(url: string): string {
  const address = url.replaceAll("&", "&amp;").replaceAll('"', "&quot;")
  return page(
    `<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${address}">`,
    `<p>Opening Drey… <a href="${address}">Continue</a></p>`,
  )
}

export const missingPage = page(
  "",
  "<h1>The app is not installed</h1><p>This copy of Drey was built without it. Run <code>npm run build</code>.</p>",
)

function page(head: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Drey</title>${head}</head><body>${body}</body></html>`
}
