import { writeSync } from "node:fs"
import { readInput } from "../hooks/read-input.ts"
import { runHook } from "../hooks/run-hook.ts"

/** Answers a client's hook on stdout and ends the process, always as if all were well: clients take anything else for a refusal. */
export async function answerHook(client: string, event: string, root?: string): Promise<void> {
  const leave = () => process.exit(0)
  process.on("uncaughtException", leave)
  const environment = root === undefined ? process.env : { ...process.env, DREY_TEAM_ROOT: root }
  const program = process.argv[1] ?? ""
  const answer = await runHook({ client, event, readInput, environment, program })
  const rest = writeNow(Buffer.from(answer === "" ? "" : `${answer}\n`))
  if (rest.length === 0) leave()
  process.stdout.on("error", leave).write(rest, leave)
}

/** Node's own stream takes longer to make than to write to. Returns what could not be written yet: the pipe is full and may not wait. */
function writeNow(text: Buffer): Buffer {
  let rest = text
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest))
  } catch {
    return rest // the stream waits, or reports the same error
  }
  return rest
}
