// Makes a fresh clone ready: installs what the lock file names and builds, each only when something changed since the last time.
// With --with-programs it also looks for the Chromium and the PostgreSQL server that some tests and benchmarks use.
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readLock, requireHashes, requireSame } from "./check-lock.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const installed = join(root, "node_modules", ".package-lock.json")
const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const built = join(root, "dist", "types", "index.d.ts")

if (timeOf(installed) < timeOf(join(root, "package-lock.json"))) {
  console.log("Installing dependencies (npm install)…")
  requireHashes(readLock(join(root, "package-lock.json")), workspaces)
  // Not npm ci: it insists on the optional packages of every platform, which not every registry carries.
  run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"])
  try {
    requireSame(readLock(installed), readLock(join(root, "package-lock.json")))
  } catch (error) {
    rmSync(installed, { force: true }) // so that it is installed again the next time, and not built from
    throw error
  }
}
if (
  timeOf(built) < newestIn(["src", "ui", "scripts/build.mjs", "package.json", "tsconfig.json", "tsconfig.types.json"])
) {
  console.log("Building (npm run build)…")
  run(process.execPath, [join(root, "scripts", "build.mjs")])
}
if (process.argv.includes("--with-programs"))
  for (const file of ["scripts/chromium/install-chromium.ts", "scripts/postgres/install-postgres.ts"])
    run(process.execPath, [join(root, "scripts", "run-ts.mjs"), file])

function newestIn(places) {
  return Math.max(...places.map((place) => newest(join(root, place))))
}

function newest(path) {
  if (path.endsWith(".test.ts")) return 0 // is in no build
  if (!statSync(path).isDirectory()) return timeOf(path)
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
}

function timeOf(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0
}

function run(command, args) {
  execFileSync(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  })
}
