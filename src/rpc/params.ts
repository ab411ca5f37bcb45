import { isRecord } from "../disk/parse-json.ts"
import { RpcError, rpcCodes } from "./rpc-error.ts"

/** Named request parameters. The readers below validate them and report errors to the caller. */
export type Params = Record<string, unknown>

export function requireParams(value: unknown): Params {
  if (value === undefined) return {}
  if (isRecord(value)) return value
  throw new RpcError(rpcCodes.badParams, "params must be an object: every parameter has a name")
}

export function textOf(params: Params, name: string): string {
  return optionalText(params, name) ?? missing(name, "a text")
}

export function optionalText(params: Params, name: string): string | undefined {
  const value = params[name] ?? undefined // null means not given
  return value === undefined || typeof value === "string" ? value : wrong(name, "a text")
}

export function optionalFlag(params: Params, name: string): boolean | undefined {
  const value = params[name] ?? undefined
  return value === undefined || typeof value === "boolean" ? value : wrong(name, "true or false")
}

/** A whole number between two others. */
export function optionalCount(params: Params, name: string, least: number, most: number): number | undefined {
  const value = params[name] ?? undefined
  if (value === undefined) return undefined
  const isGood = typeof value === "number" && Number.isInteger(value) && value >= least && value <= most
  return isGood ? value : wrong(name, `a whole number from ${least} to ${most}`)
}

export function optionalTexts(params: Params, name: string): string[] | undefined {
  const value = params[name] ?? undefined
  if (value === undefined) return undefined
  const isGood = Array.isArray(value) && value.every((each) => typeof each === "string")
  return isGood ? value : wrong(name, "a list of texts")
}

export function recordsOf(params: Params, name: string): Params[] {
  const value = params[name] ?? missing(name, "a list of objects")
  return Array.isArray(value) && value.every(isRecord) ? value : wrong(name, "a list of objects")
}

export function optionalRecord(params: Params, name: string): Params | undefined {
  const value = params[name] ?? undefined
  return value === undefined || isRecord(value) ? value : wrong(name, "an object")
}

export function oneOf<Word extends string>(params: Params, name: string, words: readonly Word[]): Word {
  return optionalOneOf(params, name, words) ?? missing(name, `one of ${words.join(", ")}`)
}

export function optionalOneOf<Word extends string>(
  params: Params,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = optionalText(params, name)
  if (value === undefined) return undefined
  return words.find((word) => word === value) ?? wrong(name, `one of ${words.join(", ")}`)
}

function missing(name: string, what: string): never {
  throw new RpcError(rpcCodes.badParams, `${name} is missing: ${what}`)
}

function wrong(name: string, what: string): never {
  throw new RpcError(rpcCodes.badParams, `${name} must be ${what}`)
}
