import { allTools, type ToolName } from "./all-tools.ts"
import { type SquadToolName, squadTools } from "./squad-tools.ts"
import type { Tool } from "./tool.ts"

export type Serving = {
  /** `squad` adds Squad's own tools. */
  profile: "drey" | "squad"
  /** `dotted` lists `memory.write` for `memory_write`, as Squad does; some clients cannot use such names. */
  toolNames: "plain" | "dotted"
}

/** The tools as listed to clients, with the configured spelling. */
export function listTools({ profile, toolNames }: Serving): Tool[] {
  const tools: Tool[] = Object.values(toolsOf(profile))
  return toolNames === "plain" ? tools : tools.map((tool) => ({ ...tool, name: tool.name.replace(plain, "memory.") }))
}

/** The tool with this name, in either spelling. */
export function findTool(name: string, { profile }: Serving): ToolName | SquadToolName | undefined {
  const wanted = name.replace(/^memory\./, "memory_")
  return (Object.keys(toolsOf(profile)) as (ToolName | SquadToolName)[]).find((each) => each === wanted)
}

const plain = /^memory_/

function toolsOf(profile: Serving["profile"]): Readonly<Record<string, Tool>> {
  return profile === "squad" ? { ...allTools, ...squadTools } : allTools
}
