import { spawn } from "node:child_process"
import { join } from "node:path"
import { openBrowser } from "../../web/open-browser.ts"
import { colors } from "../colors.ts"
import type { StageOptions } from "./open-stage.ts"

/** Serves the sample to the user's own browser until somebody ends it. */
export async function showUi({ program, folder, root, environment, signal, write }: StageOptions): Promise<void> {
  const [node, script] = program
  write(`${colors.bold("$ drey ui --no-open")}\n`)
  // The demonstration's home is not the browser's: the link is opened from here.
  const child = spawn(node, [script, "ui", "--no-open"], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
    signal,
    detached: process.platform !== "win32", // Ctrl-C reaches this process alone, which then ends it
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
        if (!signal.aborted) reject(error) // else it was told to end, and writes to its folder until it has
      })
      .on("close", () => resolve()),
  )
  closeLink()
}
