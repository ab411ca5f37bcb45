import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { appendToHome, makeHomeFolder, writeInHome } from "../disk/home-files.ts"
import { dropUnseen } from "../formats/drop-unseen.ts"

const mostBytes = 256 * 1024

/** Logs an error to `hook.log`, since a hook prints none; drops the older half when the file is too long. */
export function noteTrouble(home: string, environment: NodeJS.ProcessEnv, where: string, trouble: unknown): void {
  const line = `${new Date().toISOString()} ${where}: ${describe(trouble)}\n`
  if (environment.DREY_DEBUG === "1") process.stderr.write(line)
  try {
    const path = join(home, "hook.log")
    makeHomeFolder(home)
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) + line.length > mostBytes) keepNewerHalf(path)
    appendToHome(path, line)
  } catch {
    // If the log cannot be written, nothing is logged: the client must not fail because of it.
  }
}

function describe(trouble: unknown): string {
  const text = trouble instanceof Error ? trouble.message : String(trouble)
  return dropUnseen(text.replace(/\s+/g, " ")).slice(0, 1000)
}

function keepNewerHalf(path: string): void {
  const text = readFileSync(path, "utf8").slice(-mostBytes / 2)
  writeInHome(path, text.slice(text.indexOf("\n") + 1))
}
