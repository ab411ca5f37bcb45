import { isRunByAgent } from "../agent.ts"
import { exitCode } from "../errors.ts"
import { openQuickDrey } from "../quick-drey.ts"
import { type ContextOptions, showContext } from "./context-output.ts"
import { type SearchOptions, showResults } from "./search-output.ts"

/**
 * Runs `context` and `search`, which clients call before every prompt, without loading what the other commands need. Undefined if that is
 * not possible: another command, an unknown argument, an index to update, an error to report.
 */
export async function runQuickLine([name, ...args]: string[]): Promise<number | undefined> {
  if (name !== "context" && name !== "search") return undefined
  const given = readArguments(args, new Map(Object.entries(fastPathOptions[name])))
  if (!given || (name === "search" && given.words.length === 0)) return undefined
  try {
    const drey = await openQuickDrey(name, { ...given.options, automatic: isRunByAgent() })
    if (!drey) return undefined
    if (name === "context") await showContext(drey, given.words, given.options)
    else await showResults(drey, given.words, given.options)
    return Number(process.exitCode ?? exitCode.done)
  } catch {
    return undefined // the full CLI runs into the same error and reports it
  }
}

type Options = ContextOptions & SearchOptions
type KnownOption = { key: keyof Options; kind: "flag" | "text" | "list" }

/** The options of each command by name; a test holds them against the commands' own. */
export const fastPathOptions: Record<"context" | "search", Record<string, KnownOption>> = {
  context: {
    "--root": { key: "root", kind: "text" },
    "--json": { key: "json", kind: "flag" },
    "--agent": { key: "agent", kind: "text" },
    "--task": { key: "task", kind: "text" },
    "--budget": { key: "budget", kind: "text" },
    "--path": { key: "path", kind: "list" },
    "--session": { key: "session", kind: "text" },
    "--explain": { key: "explain", kind: "flag" },
  },
  search: {
    "--root": { key: "root", kind: "text" },
    "--json": { key: "json", kind: "flag" },
    "--agent": { key: "agent", kind: "text" },
    "--all": { key: "all", kind: "flag" },
    "--as-of": { key: "asOf", kind: "text" },
    "--limit": { key: "limit", kind: "text" },
    "-n": { key: "limit", kind: "text" },
    "--since": { key: "since", kind: "text" },
    "--quiet": { key: "quiet", kind: "flag" },
    "-q": { key: "quiet", kind: "flag" },
  },
}

/** The plain forms alone: `--flag`, `--name value`, `--name value value…`, and words. */
function readArguments(
  args: string[],
  known: ReadonlyMap<string, KnownOption>,
): { words: string[]; options: Options } | undefined {
  const words: string[] = []
  const options: Record<string, boolean | string | string[]> = {}
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? ""
    const option = known.get(argument)
    if (!option) {
      if (argument.startsWith("-")) return undefined
      words.push(argument)
      continue
    }
    const values: string[] = []
    const most = { flag: 0, text: 1, list: Number.POSITIVE_INFINITY }[option.kind]
    while (values.length < most && args[at + 1] !== undefined && !args[at + 1]?.startsWith("-"))
      values.push(args[++at] ?? "")
    if (values.length < Math.min(1, most) || option.key in options) return undefined
    options[option.key] = option.kind === "flag" ? true : option.kind === "text" ? (values[0] ?? "") : values
  }
  return { words, options: options as Options }
}
