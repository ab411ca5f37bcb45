import { spawn } from "node:child_process"
import { join } from "node:path"
import { openBrowser } from "../../web/open-browser.ts"
import { colors } from "../colors.ts"
import type { StageOptions } from "./open-stage.ts"

/** Opens the sample in the user's browser until interrupted. */
export async function showUi({ program, folder, root, environment, signal, write }: StageOptions): Promise<void> {
  const [node, script] = program
  write(`${colors.bold("$ drey ui --no-open")}\n`)
  // The demo's home is not the user's home, so the browser is started from this process.
  const child = spawn(node, [script, "ui", "--no-open"], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
    signal,
    detached: process.platform !== "win32", // Ctrl-C reaches only this process, which then stops the child
  })
  let closeLink = () => {}
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    write(text)
    const [url] = /https?:\/\/\S+/.exec(text) ?? []
    if (url) closeLink = openBrowser(url, join(folder, "browser"))
  })
  await new Promise<void>((resolve, reject) =>
    child
      .on("error", (error) => {
        if (!signal.aborted) reject(error) // else it is stopping, and may still write to its folder
      })
      .on("close", () => resolve()),
  )
  closeLink()
}
