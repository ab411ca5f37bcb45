import { basename, resolve } from "node:path"
import { passingRunner } from "../../formats/passing-runner.ts"

/**
 * Node and the script of the Drey that runs now, wherever it is installed; undefined where another program uses it as a library, and in a
 * copy that npx or its like fetched for one command: nothing that stays may lead there.
 */
export function runningDrey(): [node: string, script: string] | undefined {
  const script = process.argv[1]
  const isDrey = script !== undefined && /^(?:drey|cli\.c?js)$/.test(basename(script))
  return isDrey && passingRunner(resolve(script)) === undefined ? [process.execPath, resolve(script)] : undefined
}
