import { basename } from "node:path"
import { DreyError } from "../errors.ts"
import type { StateOutcome } from "../team/state-files.ts"
import type { TidyResult } from "../team/team-tidy.ts"
import { type ArgumentsOf, callingAgent, refusal, type ToolAnswer, type ToolCallContext } from "./tool.ts"
import type { squadTools } from "./tools.ts"

type Given<Name extends keyof typeof squadTools> = ArgumentsOf<(typeof squadTools)[Name]["inputSchema"]>

/** A decision passes governance like any other memory and gets its own file: an author may repeat a decision. */
export async function squadDecide(
  given: Given<"squad_decide">,
  { drey, ...call }: ToolCallContext,
): Promise<ToolAnswer> {
  const { author, summary, body, references = [] } = given
  if (author.trim() === "" || summary.trim() === "") throw new DreyError("A decision needs an author and a summary")
  const content = [body, ...(references.length > 0 ? [`**References:** ${references.join(", ")}`] : [])].join("\n\n")
  const memory = drey.governed.as({ agent: callingAgent(call) })
  const result = await memory.write({ content, title: summary, author, class: "DECISION" })
  if (!result.stored) return refusal(`Failed to write decision: ${result.classification.reason}`)
  return { text: `Decision written: ${basename(result.path)} (ID: ${result.id})` }
}

export async function squadStateRead(
  { key }: Given<"squad_state_read">,
  { drey }: ToolCallContext,
): Promise<ToolAnswer> {
  const text = (await drey.governed.stateFiles()).read(key)
  return text === undefined ? refusal(`State key not found: ${key.slice(0, 200)}`) : { text }
}

export async function squadStateWrite(given: Given<"squad_state_write">, call: ToolCallContext): Promise<ToolAnswer> {
  return stateAnswer("written", "write", await (await filesOf(call)).write(given.key, given.content))
}

export async function squadStateAppend(given: Given<"squad_state_append">, call: ToolCallContext): Promise<ToolAnswer> {
  return stateAnswer("appended", "append", await (await filesOf(call)).append(given.key, given.content))
}

export async function squadStateDelete(
  { key }: Given<"squad_state_delete">,
  call: ToolCallContext,
): Promise<ToolAnswer> {
  return stateAnswer("deleted", "delete", await (await filesOf(call)).remove(key))
}

export async function squadStateList(
  { dir = "" }: Given<"squad_state_list">,
  { drey }: ToolCallContext,
): Promise<ToolAnswer> {
  const names = (await drey.governed.stateFiles()).list(dir)
  return { text: names.length === 0 ? "(empty)" : names.join("\n") }
}

export async function squadStateHealth(_: Given<"squad_state_health">, { drey }: ToolCallContext): Promise<ToolAnswer> {
  await drey.governed.stateFiles() // throws if there is no team folder
  return { text: "State backend storage: Drey" }
}

export async function memoryArchive(
  { dryRun = false }: Given<"memory_archive">,
  { drey }: ToolCallContext,
): Promise<ToolAnswer> {
  const results = [await drey.team.archive({ dryRun }), await drey.team.summarize({ dryRun })]
  const told = results.flatMap(({ actions, notes }: TidyResult) => [
    ...actions.map(({ target, description }) => `${target}: ${description}`),
    ...notes,
  ])
  const refused = results.flatMap((result) => result.refused)
  if (refused.length > 0) return refusal([...told, ...refused].join("\n"))
  return { text: told.length === 0 ? "Nothing to archive." : told.join("\n") }
}

function filesOf({ drey, ...call }: ToolCallContext) {
  return drey.governed.as({ agent: callingAgent(call) }).stateFiles()
}

function stateAnswer(done: string, verb: string, outcome: StateOutcome): ToolAnswer {
  if (outcome.kind === "done") return { text: `State ${done}: ${outcome.key}` }
  return refusal(`Failed to ${verb} state: ${outcome.reason}`)
}
