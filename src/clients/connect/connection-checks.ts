import { existsSync } from "node:fs"
import { isAbsolute, join, relative } from "node:path"
import { decodeText } from "../../disk/text-files.ts"
import { DreyError } from "../../errors.ts"
import { type Check, type CheckResult, fail, pass, warn } from "../../formats/check.ts"
import { readManagedBlock } from "../../formats/managed-block.ts"

import { allWirings } from "../all-clients.ts"
import type { Wiring, WiringScope } from "../client-wiring.ts"
import type { ConnectParts } from "./connect-plan.ts"
import { budgetOf, contextFileLead, shared, usualBudget, withoutLines } from "./context-files.ts"
import { isOnPath } from "./drey-command.ts"
import { readBytes } from "./file-plan.ts"
import { type FileUse, readRecords } from "./file-record.ts"
import { type FilePiece, findPiece, readPiece, wantSettings } from "./pieces.ts"

/** Checks how Drey is set up in every client, with or without a record: a clone may contain the settings. */
export function checkClients(parts: ConnectParts): Check[] {
  const checks = allWirings.flatMap((wiring) => checkWiring(parts, wiring))
  if (checks.length > 0) return checks
  return [{ name: "clients", ...pass('No coding agent is connected. Run "drey connect" to connect one.') }]
}

/** A file that serves both scopes does not count as a connection in the second. */
function checkWiring(parts: ConnectParts, wiring: Wiring): Check[] {
  const name = `client ${wiring.name}`
  const looked = new Set<string>()
  const checks = wiring.scopes.flatMap((scope) => {
    const verdict = checkScope(parts, wiring, scope, looked)
    return verdict ? [{ name, ...verdict }] : []
  })
  if (checks.length < 2) return checks
  const once = `Run "drey disconnect ${wiring.id} --scope user" to remove one.`
  return [
    ...checks,
    { name, ...warn(`Connected twice, for this repository and for all repositories, so its hooks run twice. ${once}`) },
  ]
}

/** Undefined for a client that is not connected in this scope. */
function checkScope(
  parts: ConnectParts,
  wiring: Wiring,
  scope: WiringScope,
  looked: Set<string>,
): CheckResult | undefined {
  const place = { ...parts.machine, root: parts.root, scope }
  const again = `Run "drey connect ${wiring.id}${scope === "user" ? " --scope user" : ""}" to fix it.`
  const records = readRecords(parts.home)
  const ownRoot = scope === "project" ? parts.root : null
  const wanted = wantSettings([{ wiring, place, root: ownRoot }], parts.command)
  const looks = wanted.map(({ path, purpose, pieces }) => ({ path, purpose, ...lookAt(path, pieces) }))
  const own = looks.filter(({ path }) => !looked.has(path))
  for (const { path } of looks) looked.add(path)
  const isUsed = ({ client, root }: FileUse) => client === wiring.id && (wiring.scopes.length === 1 || root === ownRoot)
  const isKnown = own.some(({ path }) => records.get(path)?.uses.some(isUsed))
  const shared = sharedPaths(parts, wiring, scope)
  const isSeen = own.some(({ path, present }) => present && !shared.has(path))
  const isWhole = own.length > 0 && own.every(({ isComplete }) => isComplete)
  if (!isKnown && !isSeen && !isWhole) return undefined
  const shown = (path: string) => shownPath(path, parts)
  const unreadable = looks.find(({ problem }) => problem !== undefined)
  if (unreadable?.problem !== undefined) return fail(unreadable.problem)
  const missing = looks.filter(({ isComplete }) => !isComplete)
  if (missing.length > 0)
    return warn(`${missing.map(({ path, purpose }) => `${shown(path)} lacks Drey's ${purpose}`).join(", ")}. ${again}`)
  const lost = looks.flatMap(({ programs }) => programs).find((program) => !canStart(program, parts))
  if (lost === "drey")
    return fail('It starts "drey", which is not on the PATH. Run "npm install -g drey" to install it.')
  if (lost !== undefined) return fail(`It starts ${lost}, which does not exist. ${again}`)
  return pass(`connected by ${looks.map(({ path }) => shown(path)).join(", ")}`)
}

/**
 * Files read by several clients, or by one in both scopes: they do not prove that this client is connected in this
 * scope.
 */
function sharedPaths(parts: ConnectParts, wiring: Wiring, scope: WiringScope): Set<string> {
  const pathsOf = (one: Wiring, within: WiringScope) => {
    const files = one.files({ ...parts.machine, root: parts.root, scope: within }, parts.command)
    return [...new Set(files.map(({ path }) => path))]
  }
  const wirings = allWirings.filter(({ scopes }) => scopes.includes(scope))
  const elsewhere = wiring.scopes.filter((each) => each !== scope)
  const paths = [
    ...wirings.flatMap((one) => pathsOf(one, scope)),
    ...elsewhere.flatMap((each) => pathsOf(wiring, each)),
  ]
  return new Set(paths.filter((path, at) => paths.indexOf(path) !== at))
}

type Look = { present: boolean; isComplete: boolean; programs: string[]; problem?: string }

function lookAt(path: string, pieces: readonly FilePiece[]): Look {
  try {
    const bytes = readBytes(path)
    const text = bytes === undefined ? "" : decodeText(bytes, path)
    const presences = pieces.map((piece) => findPiece(text, piece, path))
    const programs = pieces.filter(isServer).flatMap((piece) => programOf(readPiece(text, piece, path)))
    return { present: presences.some(isThere), isComplete: presences.every(isThere), programs }
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return { present: false, isComplete: false, programs: [], problem: error.message }
  }
}

function isThere(presence: string): boolean {
  return presence !== "absent"
}

/** A hook's line is a shell command and does not name its program separately. */
function isServer(piece: FilePiece): boolean {
  return piece.format === "toml" || (piece.format === "json" && piece.part.kind === "key")
}

/** The program that a server entry starts: a name, or the absolute paths among its arguments. */
function programOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null || !("command" in value)) return []
  const words = [value.command, "args" in value ? value.args : []].flat().filter((word) => typeof word === "string")
  return words.filter((word, at) => (at === 0 && word === "drey") || isAbsolute(word))
}

function canStart(program: string, { machine }: ConnectParts): boolean {
  return program === "drey" ? isOnPath(machine) : existsSync(program)
}

function shownPath(path: string, { root, machine }: ConnectParts): string {
  const inside = relative(root, path)
  if (!inside.startsWith("..") && !isAbsolute(inside)) return inside
  return path.startsWith(machine.home) ? `~${path.slice(machine.home.length)}` : path
}

/** Checks whether the block in AGENTS.md matches the team's current rules; empty if there is no block. */
export async function checkContextFiles(parts: ConnectParts): Promise<Check[]> {
  const verdict = await checkRules(parts, join(parts.root, shared))
  return verdict ? [{ name: "context files", ...verdict }] : []
}

async function checkRules(parts: ConnectParts, path: string): Promise<CheckResult | undefined> {
  try {
    const block = readManagedBlock(readBytes(path)?.toString() ?? "")
    if (block === undefined) return undefined
    const budget = budgetOf(block)
    const current = await parts.rules(contextFileLead(budget), budget)
    if (withoutLines(current) === withoutLines(block)) return pass(`The rules in ${shared} are up to date.`)
    return warn(`The rules in ${shared} are out of date. Run "${remedyFor(parts, path, budget)}" to update them.`)
  } catch (error) {
    if (!(error instanceof DreyError)) throw error
    return fail(error.message)
  }
}

/** Names the clients connected through the block; in a clone there is no record, so it names none. */
function remedyFor({ home, root }: ConnectParts, path: string, budget: number): string {
  const uses = readRecords(home).get(path)?.uses ?? []
  const clients = new Set(uses.filter((use) => use.root === root).map(({ client }) => client))
  const limit = budget === usualBudget ? [] : ["--budget", budget]
  return ["drey connect", ...clients, "--context-files", ...limit].join(" ")
}
