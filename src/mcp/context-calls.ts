import { isAbsolute, relative, resolve, sep } from "node:path"
import { ambiguousId, DreyError, exitCode } from "../errors.ts"
import { omitUndefined } from "../formats/objects.ts"
import type { Context } from "../recall/context/context-builder.ts"
import type { ReadProblems } from "../recall/sync/origins.ts"
import { type ArgumentsOf, refusal, type ToolAnswer, type ToolCallContext } from "./tool.ts"
import type { allTools } from "./tools.ts"

type Given<Name extends keyof typeof allTools> = ArgumentsOf<(typeof allTools)[Name]["inputSchema"]>

/** Text only: clients that also get data show the model only that, so the context would arrive as escaped JSON. */
export async function getTaskContext(given: Given<"get_task_context">, call: ToolCallContext): Promise<ToolAnswer> {
  const { task, agent = call.agent, paths = [], budget } = given
  if (task.trim() === "") throw new DreyError("The task is empty", { hint: "Describe the task in one sentence." })
  const { drey, session, progress } = call
  const inside = paths.flatMap((path) => pathFromRoot(path, drey.root) ?? [])
  const { context, ...trouble } = await drey.context.build(
    { task, agent, paths: inside, budget, session },
    { progress },
  )
  const text = context.text === "" ? emptyText(context) : context.text
  return { text: [text, ...troubleLines(trouble)].join("\n\n") }
}

function emptyText({ explanation, budget }: Context): string {
  const applying = explanation.filter(({ lane }) => lane !== undefined).length
  if (applying === 0) return "Nothing relevant found."
  const items = applying === 1 ? "1 item" : `${applying} items`
  return `None of ${items} fits into ${budget} tokens. Ask again with a larger budget.`
}

export async function reportOutcome(
  given: Given<"report_outcome">,
  { drey, session }: ToolCallContext,
): Promise<ToolAnswer> {
  const { kind } = await drey.team.trust()
  if (kind !== "trusted")
    return refusal("Not recorded: this repository is not trusted yet. The user can change that with `drey trust`.")
  const learning = drey.memories
  const idOf = async (name: string): Promise<string> => {
    const [memory, ...others] = await learning.find(name, { here: true })
    if (memory && others.length === 0) return memory.id
    if (memory)
      throw ambiguousId(
        name,
        [memory, ...others].map(({ id }) => id),
      )
    throw new DreyError(`"${name.slice(0, 40)}" is not a memory of this project`, {
      hint: "Use the handle shown in the context, such as m:1a2b3c. Nothing was recorded.",
      exitCode: exitCode.no,
    })
  }
  const { outcome, task, note } = given
  const helped = await Promise.all((given.helped ?? []).map(idOf))
  const wrong = await Promise.all((given.wrong ?? []).map(idOf))
  await learning.reportOutcome({
    outcome,
    helped,
    wrong,
    ...omitUndefined({ task, session, note }),
  })
  return {
    text: `Recorded: ${outcome}; ${helped.length} helped, ${wrong.length} wrong.`,
    data: { outcome, helped, wrong },
  }
}

/** Paths outside the project are ignored. */
function pathFromRoot(path: string, root: string): string | undefined {
  const found = relative(root, resolve(root, path))
  const isInside = found !== "" && found !== ".." && !found.startsWith(`..${sep}`) && !isAbsolute(found)
  return isInside ? found.split(sep).join("/") : undefined
}

function troubleLines({ unreadable, conflicts }: ReadProblems): string[] {
  const lines = [
    ...unreadable.map(({ message }) => `Skipped: ${message}`),
    ...conflicts.map(({ path, line }) => `Skipped: ${path}:${line} has an unresolved merge conflict`),
  ]
  return lines.length === 0 ? [] : [lines.join("\n")]
}
