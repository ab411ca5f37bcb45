import { execFileSync } from "node:child_process"
import type { StoreFolder } from "../find-store.ts"

/** Whether git would leave a file of the team folder out of every commit. Without git there is nothing it could leave out. */
export function isIgnoredByGit(folder: StoreFolder, path: string): boolean {
  try {
    execFileSync("git", ["check-ignore", "--quiet", "--", path], { cwd: folder.path, stdio: "ignore" })
    return true
  } catch {
    return false // exit 1: not ignored; 128: no repository; no git at all
  }
}
