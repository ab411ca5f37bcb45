import { join } from "node:path"
import type { Client, Machine } from "./client.ts"
import { copilotLines } from "./copilot-lines.ts"
import { findFiles } from "./find-files.ts"
import { readLines } from "./read-lines.ts"

/** Sessions are `session-state/<id>/events.jsonl`, formerly `session-state/<id>.jsonl`. */
export const copilotCli: Client = {
  id: "copilot-cli",
  name: "Copilot CLI",
  maturity: "proven",
  find: (machine) => findSessions(machine).map((path) => ({ client: "copilot-cli", path })),
  recognises: (path, beginning) => path.endsWith(".jsonl") && ownRecord.test(beginning),
  read: (transcript, from) => readLines(transcript, from, copilotLines),
}

const ownRecord = /^\{"type":"(?:session|user|assistant|tool|hook|system|subagent)\.[a-z_]{1,40}",[^\n]{0,60}"data":\{/m

function findSessions({ home, environment }: Machine): string[] {
  const folder = join(environment.COPILOT_HOME || join(home, ".copilot"), "session-state")
  const isOld = (name: string) => name.endsWith(".jsonl")
  return [...findFiles(folder, 1, isOld), ...findFiles(folder, 2, (name) => name === "events.jsonl")]
}
