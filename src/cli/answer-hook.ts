import { readInput } from "../hooks/read-input.ts"
import { runHook } from "../hooks/run-hook.ts"

/** Answers a client's hook on stdout and ends the process, always as if all were well: clients take anything else for a refusal. */
export async function answerHook(client: string, event: string, root?: string): Promise<void> {
  const leave = () => process.exit(0)
  process.on("uncaughtException", leave)
  const environment = root === undefined ? process.env : { ...process.env, DREY_TEAM_ROOT: root }
  const program = process.argv[1] ?? ""
  const answer = await runHook({ client, event, readInput, environment, program })
  if (answer === "") leave()
  process.stdout.on("error", leave).write(`${answer}\n`, leave)
}
