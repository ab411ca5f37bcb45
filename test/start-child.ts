import { type ChildProcessByStdio, spawn } from "node:child_process"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { build } from "esbuild"

/** For tests: bundles TypeScript that imports from `src/disk` into a script that `startChild` can run. */
export async function bundleChild(folder: string, source: string): Promise<string> {
  symlinkSync(join(import.meta.dirname, "../node_modules"), join(folder, "node_modules")) // for the SQLite package
  await build({
    stdin: { contents: source, resolveDir: join(import.meta.dirname, "../src/disk"), loader: "ts" },
    outdir: folder,
    entryNames: "child",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true, // what is imported when it is needed takes no time in a process that ends before
    format: "esm",
    platform: "node",
    target: "node20.12",
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" }, // its other form hides its parts from a bundler
    external: ["@photostructure/sqlite", "yaml"], // the one is native, the other no ES module on Node
  })
  return join(folder, "child.mjs")
}

type Child = {
  process: ChildProcessByStdio<null, Readable, Readable>
  /** What it printed until now on stderr. */
  errors(): string
  /** The next line that it prints, undefined after the last. */
  nextLine(): Promise<string | undefined>
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>
}

/** For tests: a real process, spoken to over its output. */
export function startChild(script: string, ...args: string[]): Child {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let errors = ""
  child.stderr.on("data", (chunk) => {
    errors += chunk
  })
  return {
    process: child,
    errors: () => errors,
    nextLine: async () => (await lines.next()).value,
    ended: new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal))),
  }
}
