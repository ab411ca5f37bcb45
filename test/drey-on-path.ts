import { chmodSync } from "node:fs"
import { delimiter, join } from "node:path"
import { cliPath, makeRepository } from "./run-cli.ts"

/** A PATH on which `drey` is the built one, and these scripts are programs too. */
export function dreyOnPath(scripts: Record<string, string> = {}): string {
  const programs = { drey: `exec '${process.execPath}' '${cliPath}' "$@"`, ...scripts }
  const files = Object.entries(programs).map(([name, script]) => [name, `#!/bin/sh\n# For tests of drey.\n${script}\n`])
  const folder = makeRepository(Object.fromEntries(files))
  for (const name of Object.keys(programs)) chmodSync(join(folder, name), 0o755)
  return `${folder}${delimiter}${process.env.PATH}`
}
