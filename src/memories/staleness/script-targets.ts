import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "smol-toml"
import type { Checkout } from "./checkout.ts"
import type { Runner } from "./names.ts"

/**
 * The targets of each runner over all manifests of the repository; `unread` lists runners with an unreadable manifest.
 */
export type Targets = { known: Map<Runner, Set<string>>; unread: Set<Runner> }

const mostManifests = 500

export function readTargets({ root, files }: Checkout): Targets {
  const targets: Targets = { known: new Map(), unread: new Set() }
  const manifests = [...files].filter(([path]) => isManifest(path)).slice(0, mostManifests)
  for (const [path, name] of manifests) {
    const { runner, names } = targetsIn(path, readText(join(root, name)))
    if (names) targets.known.set(runner, new Set([...(targets.known.get(runner) ?? []), ...names]))
    else targets.unread.add(runner)
  }
  return targets
}

export function isManifest(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1)
  return /^(?:package\.json|(?:GNU)?[Mm]akefile|.*\.mk|\.?[Jj]ustfile|deno\.jsonc?|Taskfile\.ya?ml|Cargo\.toml|pyproject\.toml)$/.test(
    name,
  )
}

/** The targets that a manifest defines; undefined if it cannot be parsed: it is being edited, or has comments. */
export function targetsIn(path: string, text: string): { runner: Runner; names: string[] | undefined } {
  const name = path.slice(path.lastIndexOf("/") + 1)
  if (name === "package.json") return { runner: "package", names: keysIn(text, "scripts") }
  if (name.startsWith("deno.json")) return { runner: "deno", names: keysIn(text, "tasks") }
  if (name.startsWith("Taskfile")) return { runner: "task", names: linesLike(text, /^ {2}["']?([\w:.-]+)["']?:/gm) }
  if (/justfile$/i.test(name))
    return { runner: "just", names: linesLike(text, /^@?([A-Za-z_][\w-]*)(?:\s[^:=\n]*)?:(?!=)/gm) }
  if (name === "Cargo.toml") return { runner: "cargo", names: cargoTargets(text) }
  if (name === "pyproject.toml") return { runner: "python", names: pythonScripts(text) }
  return { runner: "make", names: makeTargets(text) }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return "" // deleted since it was listed, or unreadable
  }
}

type Tree = { [key: string]: unknown }

function under(tree: unknown, ...keys: string[]): Tree {
  const found = keys.reduce<unknown>((at, key) => (isTree(at) ? at[key] : undefined), tree)
  return isTree(found) ? found : {}
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null
}

function keysIn(text: string, key: string): string[] | undefined {
  const tree = readOr(() => JSON.parse(text))
  return tree === undefined ? undefined : Object.keys(under(tree, key))
}

function cargoTargets(text: string): string[] | undefined {
  const tree = readOr(() => parse(text))
  if (tree === undefined) return undefined
  const named = ["bin", "example"].flatMap((key) => Object.values(under(tree, key)))
  const names = [under(tree, "package"), ...named].map((each) => (isTree(each) ? each.name : undefined))
  return names.filter((name) => typeof name === "string")
}

function pythonScripts(text: string): string[] | undefined {
  const tree = readOr(() => parse(text))
  if (tree === undefined) return undefined
  const places = [
    ["project", "scripts"],
    ["tool", "poetry", "scripts"],
    ["tool", "poe", "tasks"],
    ["tool", "pdm", "scripts"],
    ["tool", "hatch", "envs", "default", "scripts"],
    ["tool", "rye", "scripts"],
  ]
  return places.flatMap((keys) => Object.keys(under(tree, ...keys)))
}

function readOr(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return undefined // malformed; the caller reports it
  }
}

function makeTargets(text: string): string[] {
  return linesLike(text, /^([^\s#:=][^#:=\n]*):(?!=)/gm).flatMap((line) => line.split(/\s+/))
}

function linesLike(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name ?? "")
}
