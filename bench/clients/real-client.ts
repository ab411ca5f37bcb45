import type { ModelTool } from "./scripted-model.ts"

/** A coding agent as it is installed from npm, and how it is led to the scripted model. One file each. */
export type RealClient = {
  /** As `drey connect` calls it. */
  id: string
  /** Its name for users. */
  name: string
  package: string
  version: string
  program: string
  /** Writes the settings that a user of it has before Drey is connected. */
  prepare(place: ClientPlace): void
  environment(place: ClientPlace): Record<string, string>
  args(prompt: string): string[]
  /** Calls of its tools, by the names that its model is shown. */
  run(command: string): ModelTool
  write(path: string, text: string): ModelTool
  searchMemory(query: string): ModelTool
  /** Hands a task to a sub-agent, where its hooks tell of that. */
  delegate?(task: string): ModelTool
  /** Before a call it has words only for the person: its model is warned with the call's result. */
  warnsModelAfterwards?: boolean
}

export type ClientPlace = {
  /** Where the client keeps everything of its own. */
  home: string
  project: string
  /** Where the scripted model listens. */
  modelUrl: string
}

/** Clients require a key; it is never checked. */
export const noKey = "dummy-not-a-key"
