import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import type { ContextFileName, Wiring, WiringPlace } from "../clients/wiring.ts"
import { readManagedBlock, removeManagedBlock } from "../formats/managed-block.ts"
import type { Chosen, Wanted } from "./wanted.ts"

/** The one that holds the rules. */
export const shared: ContextFileName = "AGENTS.md"

/** All files in which Drey may keep a block. */
export const contextFileNames: readonly ContextFileName[] = [shared, "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"]

/**
 * The block of rules in AGENTS.md, and for clients that do not read that file here, a line in their own that leads to it: so that no client
 * gets the same text twice, even one that reads all of these files.
 */
export function wantContextFiles(chosen: readonly Chosen[], root: string, text: string): Wanted[] {
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
 * What stands above the rules: for clients that do not hand on what an MCP server says of itself, it is all they hear of Drey. It tells the
 * budget, by which a clone can see whether the block is up to date.
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

/** The block of rules that a client reads in AGENTS.md here; undefined where there is none, or it does not read that file. */
export function blockReadBy(wiring: Wiring, place: WiringPlace): string | undefined {
  const block = readManagedBlock(readIfThere(join(place.root, shared)))
  return readsShared(wiring, place, (text) => text) ? block : undefined
}

/** The entries that two blocks tell in the same words, by their ids. */
export function entriesInBoth(one: string, other: string): string[] {
  const entries = new Map(entriesOf(other))
  return entriesOf(one).flatMap(([id, text]) => (entries.get(id) === text ? id : []))
}

function entriesOf(block: string): [id: string, text: string][] {
  const entries = withoutLines(block).matchAll(/^\[([^\]\s]+)\] .*(?:\r?\n>.*)*/gm)
  return [...entries].map(([text, id = ""]) => [id, text.replaceAll("\r", "")])
}

/** An entry above moves those below it; what they say is the same. */
export function withoutLines(block: string): string {
  return block.replace(/^(> .*\.md):\d+(?=\r?$)/gm, "$1")
}

/** The file that has to lead this client to AGENTS.md; undefined where it reads that by itself, or the user has led it there. */
function pointingFile(wiring: Wiring, place: WiringPlace): ContextFileName | undefined {
  // What Drey put there itself does not count: it must stay wanted.
  if (readsShared(wiring, place, removeManagedBlock)) return undefined
  return firstFile(wiring, place)
}

/** Whether a client reads AGENTS.md, of its own accord or because the file that it reads instead imports it. */
function readsShared(wiring: Wiring, place: WiringPlace, partOf: (text: string) => string): boolean {
  const first = firstFile(wiring, place)
  if (wiring.loadsAllContextFiles || first === undefined || first === shared) return true
  const path = join(place.root, first)
  if (isSameFile(path, join(place.root, shared))) return true
  return /(?:^|\s)@(?:\.\/)?AGENTS\.md\b/m.test(partOf(readIfThere(path)))
}

/** The first of its files that is there; AGENTS.md is, or will be. */
function firstFile(wiring: Wiring, place: WiringPlace): ContextFileName | undefined {
  const names = wiring.contextFiles(place)
  return names.find((name) => name === shared || existsSync(join(place.root, name))) ?? names[0]
}

function isSameFile(one: string, other: string): boolean {
  return existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other)
}

function readIfThere(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, "utf8") : ""
}
