import { openDrey } from "../drey.ts"
import type { DreyOptions } from "../project.ts"
import type { SquadContext, SquadContextOptions } from "../recall/context/squad-context.ts"
import type { ReadProblems } from "../recall/sync/origins.ts"
import type { MemoryToSave, SaveOutcome } from "../team/governed/agent-history.ts"

/**
 * A context in the frame that Squad's agents know, without opening Drey first.
 * @example const { text } = await buildContext("mal", { task: "Add a retry" })
 */
export async function buildContext(
  agent: string,
  options: SquadContextOptions & DreyOptions = {},
): Promise<ReadProblems & SquadContext> {
  const drey = openDrey(options)
  try {
    return await drey.context.forSquad(agent, options)
  } finally {
    await drey.close()
  }
}

/**
 * Adds what an agent learned to the end of its history.
 * @example await saveMemory("mal", "The cache is cold in CI")
 */
export function saveMemory(agent: string, memory: MemoryToSave, options: DreyOptions = {}): Promise<SaveOutcome> {
  return openDrey(options).governed.saveForAgent(agent, memory)
}
