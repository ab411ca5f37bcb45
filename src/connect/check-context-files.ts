import { join } from "node:path"
import { DreyError } from "../errors.ts"
import { readManagedBlock } from "../formats/managed-block.ts"
import { type Check, fail, pass, type Verdict, warn } from "../squad/doctor/check.ts"
import { budgetOf, contextFileLead, shared, usualBudget, withoutLines } from "./context-files.ts"
import { readRecords } from "./file-record.ts"
import type { ConnectParts } from "./plan-connect.ts"
import { readBytes } from "./plan-file.ts"

/** Checks whether the block in AGENTS.md matches the team's current rules; empty if there is no block. */
export async function checkContextFiles(parts: ConnectParts): Promise<Check[]> {
  const verdict = await checkRules(parts, join(parts.root, shared))
  return verdict ? [{ name: "context files", ...verdict }] : []
}

async function checkRules(parts: ConnectParts, path: string): Promise<Verdict | undefined> {
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
