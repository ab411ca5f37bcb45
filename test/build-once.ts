import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

/** The journeys run the built CLI: it is built before them when a source is newer. */
export async function setup(): Promise<void> {
  const script = fileURLToPath(new URL("../scripts/set-up.mjs", import.meta.url))
  execFileSync(process.execPath, [script], { stdio: ["ignore", "inherit", "inherit"] })
}
