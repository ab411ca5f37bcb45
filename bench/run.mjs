// Runs a file of this repository after the set-up, from the repository's root: node bench/run.mjs bench/hook.ts [arguments].
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
const [file = ""] = process.argv.slice(2)
const needsPrograms = ["bench/all.ts", "bench/ui.ts", "bench/team.ts"].includes(file)
execFileSync(process.execPath, ["scripts/set-up.mjs", ...(needsPrograms ? ["--with-programs"] : [])], {
  stdio: "inherit",
})
await import("../scripts/run-ts.mjs") // only now: it needs esbuild, which the set-up installs
