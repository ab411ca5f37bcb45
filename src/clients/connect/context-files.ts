import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import { readManagedBlock, removeManagedBlock } from "../../formats/managed-block.ts"
import type { ContextFileName, Wiring, WiringPlace } from "../client-wiring.ts"
import type { ChosenClient, WantedFile } from "./pieces.ts"

/** The file with the rules. */
export const shared: ContextFileName = "AGENTS.md"

/** All files that may contain a block of Drey's. */
export const contextFileNames: readonly ContextFileName[] = [shared, "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"]

/**
 * The block of rules in AGENTS.md and, for clients that do not read that file here, an import line in their own file:
 * no client gets the same text twice, even one that reads all of these files.
 */
export function wantContextFiles(chosen: readonly ChosenClient[], root: string, text: string): WantedFile[] {
  return chosen.flatMap(({ wiring, place }) => {
    const own = pointingFile(wiring, place)
    const block = { client: wiring.id, root, path: join(root, shared), purpose: "rules" }
    return [
      { ...block, pieces: [{ format: "block" as const, text }] },
      ...(own === undefined
        ? []
        : [
            {
              client: wiring.id,
              root,
              path: join(root, own),
              purpose: "leads to AGENTS.md",
              pieces: [{ format: "block" as const, text: `@./${shared}` }],
            },
          ]),
    ]
  })
}

/** In tokens, for the whole block. */
export const usualBudget = 1500

/**
 * The lead above the rules: for clients that ignore an MCP server's instructions, this is their only description of
 * Drey. It states the budget, so that a clone can check whether the block is up to date.
 */
export function contextFileLead(budget: number): string {
  return `Kept by Drey from the team's memory in .squad, at most ${budget} tokens; do not edit this block. More of it comes from the MCP server
\`drey\`: \`get_task_context\` before a task, \`memory_search\` for anything else, \`memory_write\` for what the team should keep,
\`report_outcome\` when a task is done.`
}

/** The budget that a block was written for. */
export function budgetOf(block: string): number {
  const told = /^Kept by Drey .*\bat most (\d{1,6}) tokens/.exec(block)?.[1]
  return told === undefined ? usualBudget : Number(told)
}

/**
 * The block of rules that a client reads in AGENTS.md; undefined if there is none, or the client does not read that
 * file.
 */
export function blockReadBy(wiring: Wiring, place: WiringPlace): string | undefined {
  const block = readManagedBlock(readIfThere(join(place.root, shared)))
  return readsShared(wiring, place, (text) => text) ? block : undefined
}

/** The ids of entries with the same text in both blocks. */
export function entriesInBoth(one: string, other: string): string[] {
  const entries = new Map(entriesOf(other))
  return entriesOf(one).flatMap(([id, text]) => (entries.get(id) === text ? id : []))
}

function entriesOf(block: string): [id: string, text: string][] {
  const entries = withoutLines(block).matchAll(/^\[([^\]\s]+)\] .*(?:\r?\n>.*)*/gm)
  return [...entries].map(([text, id = ""]) => [id, text.replaceAll("\r", "")])
}

/** Drops line numbers, which change when an entry above is edited. */
export function withoutLines(block: string): string {
  return block.replace(/^(> .*\.md):\d+(?=\r?$)/gm, "$1")
}

/** The file that must import AGENTS.md for this client; undefined if it reads AGENTS.md already. */
function pointingFile(wiring: Wiring, place: WiringPlace): ContextFileName | undefined {
  // Drey's own import does not count: it must stay wanted.
  if (readsShared(wiring, place, removeManagedBlock)) return undefined
  return firstFile(wiring, place)
}

/** Whether a client reads AGENTS.md, directly or through an import in the file that it reads instead. */
function readsShared(wiring: Wiring, place: WiringPlace, partOf: (text: string) => string): boolean {
  const first = firstFile(wiring, place)
  if (wiring.loadsAllContextFiles || first === undefined || first === shared) return true
  const path = join(place.root, first)
  if (isSameFile(path, join(place.root, shared))) return true
  return /(?:^|\s)@(?:\.\/)?AGENTS\.md\b/m.test(partOf(readIfThere(path)))
}

/** The first of its files that exists; AGENTS.md exists or will be written. */
function firstFile(wiring: Wiring, place: WiringPlace): ContextFileName | undefined {
  const names = wiring.contextFiles(place)
  return names.find((name) => name === shared || existsSync(join(place.root, name))) ?? names[0]
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other)
}

/** No client loads this much into its context, and a hook that reads it would be too slow. */
const mostBytes = 1024 * 1024

function readIfThere(path: string): string {
  const status = statSync(path, { throwIfNoEntry: false })
  return status?.isFile() && status.size <= mostBytes ? readFileSync(path, "utf8") : ""
}
