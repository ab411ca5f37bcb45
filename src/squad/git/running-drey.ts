import { basename, resolve } from "node:path"

/** Node and the script of the Drey that runs now, wherever it is installed; undefined where another program uses it as a library. */
export function runningDrey(): [node: string, script: string] | undefined {
  const script = process.argv[1]
  const isDrey = script !== undefined && /^(?:drey|cli\.c?js)$/.test(basename(script))
  return isDrey ? [process.execPath, resolve(script)] : undefined
}
