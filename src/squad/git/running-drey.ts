import { basename, resolve } from "node:path"
import { passingRunner } from "../../formats/passing-runner.ts"

/**
 * The paths of Node and of the running Drey's script; undefined if another program uses Drey as a library, or if it is a temporary copy
 * (npx): stored commands must not refer to one.
 */
export function runningDrey(): [node: string, script: string] | undefined {
  const script = process.argv[1]
  const isDrey = script !== undefined && /^(?:drey|cli\.c?js)$/.test(basename(script))
  return isDrey && passingRunner(resolve(script)) === undefined ? [process.execPath, resolve(script)] : undefined
}
