import { spawnSync } from "node:child_process"

/** Installs a package of Debian's where this user may; the caller checks whether it is there afterwards. */
export function installPackage(name: string, reason: string): void {
  const isRoot = process.getuid?.() === 0
  if (!isRoot || !run("apt-get", ["--version"])) return
  console.log(`Installing ${name} ${reason} (apt-get install ${name})…`)
  run("apt-get", ["update", "-qq"])
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name])
}

function run(command: string, args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  return spawnSync(command, args, { env, stdio: ["ignore", "ignore", "inherit"], timeout: 300_000 }).status === 0
}
