import { existsSync } from "node:fs"
import { join } from "node:path"
import { dreyHome, readConfig } from "../config.ts"
import { openDrey } from "../drey.ts"
import { DreyError, exitCode } from "../errors.ts"
import { keepNotes } from "../keep-notes.ts"
import { keepSynced } from "../keep-synced.ts"
import { findApp } from "./find-app.ts"
import { openBrowser } from "./open-browser.ts"
import { serveWeb } from "./serve-web.ts"

export type UiOptions = {
  root?: string
  /** undefined: the usual one, or another where that is in use. */
  port?: number
  open: boolean
  /** Called with the URL. */
  onReady(url: string): void
  warn(message: string): void
}

declare const DREY_VERSION: string

/** One after D, R, E, Y on a telephone, where MCP is. */
const usualPort = 3738

/** Serves the browser app until a signal. */
export async function runUi({ root, port, open, onReady, warn }: UiOptions): Promise<void> {
  const appFolder = findApp()
  const drey = openDrey({ warn, ...(root === undefined ? {} : { root }) })
  if (!drey.hasTeamFolder)
    throw new DreyError(`${drey.root} has no .squad folder`, {
      hint: "Run drey init to create one.",
      exitCode: exitCode.usage,
    })
  let closeLink = () => {}
  const service = await serveWeb({
    drey,
    version: typeof DREY_VERSION === "string" ? DREY_VERSION : "0.0.0",
    user: readConfig(undefined, process.env).user,
    port: port ?? usualPort,
    mayMove: port === undefined,
    appFolder,
    onEntered: () => closeLink(),
    warn,
  })
  if (!existsSync(join(appFolder, "index.html"))) warn(`the app is not installed at ${appFolder}. Run npm run build.`)
  onReady(service.url)
  if (open) closeLink = openBrowser(service.url, join(dreyHome(process.env), "run"))
  const ending = new AbortController()
  void keepSynced({ root, environment: process.env, signal: ending.signal, warn })
  const repositories = async () => ((await drey.team.trust()).kind === "trusted" ? [drey] : [])
  const notes = keepNotes({ repositories, signal: ending.signal, warn })
  await untilSignal()
  closeLink()
  ending.abort()
  await notes
  await service.close()
  await drey.close()
}

/** A second signal exits at once. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, () => resolve())
  })
}
