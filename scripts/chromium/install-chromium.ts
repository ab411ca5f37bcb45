import { spawnSync } from "node:child_process"
import { findChromium } from "./find-chromium.ts"

// Before the tests: those of the browser app need a Chromium. Where this user may install Debian's, it is installed; nothing else fails
// without it.
if (!findChromium()) {
  const isRoot = process.getuid?.() === 0
  if (isRoot && run("apt-get", ["--version"])) {
    console.log("Installing Chromium for the tests of the browser app (apt-get install chromium)…")
    run("apt-get", ["update", "-qq"])
    run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"])
  }
  if (!findChromium())
    console.log("There is no Chromium: the browser app will not be tested. Install one, or name it in DREY_CHROMIUM.")
}

function run(command: string, args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  return spawnSync(command, args, { env, stdio: ["ignore", "ignore", "inherit"], timeout: 300_000 }).status === 0
}
