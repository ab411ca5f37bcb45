import { isAbsolute, relative, resolve, sep } from "node:path"
import type { Drey } from "../drey.ts"
import type { Methods } from "./answer-line.ts"
import { memoriesOf } from "./memory-params.ts"
import { type Projects, projectAt } from "./open-projects.ts"
import { oneOf, optionalCount, optionalText, optionalTexts, type Params, textOf } from "./params.ts"
import { RpcError, rpcCodes } from "./rpc-error.ts"

const defaultBudget = 400
const mostTokens = 100_000

/** What an agent is handed, and what it says of it afterwards. */
export function contextMethods(projects: Projects, own: Drey): Methods {
  return {
    async get_task_context(params) {
      const { drey } = await projectAt(projects, params)
      const { context } = await drey.context.build({
        task: taskOf(params),
        agent: optionalText(params, "agent"),
        budget: optionalCount(params, "context_budget_tokens", 1, mostTokens) ?? defaultBudget,
        paths: pathsOf(params, drey.root),
        session: optionalText(params, "session_id"),
      })
      const isLearned = ({ source }: { source: string }) => source === "learned"
      return {
        context_prompt: context.text,
        memory_ids: context.included.filter(isLearned).map(({ id }) => id),
        entry_ids: context.included.filter((item) => !isLearned(item)).map(({ id }) => id),
        dropped_ids: context.left.map(({ id }) => id),
        task_id: context.taskId,
        tokens: context.tokens,
      }
    },

    async compose_context(params) {
      const task = taskOf(params)
      const memories = memoriesOf(params, "memories")
      const budget = optionalCount(params, "token_budget", 1, mostTokens) ?? defaultBudget
      const { text, used } = await own.context.compose({ task, memories, budget })
      return { context_prompt: text, used_memory_ids: used }
    },

    async report_outcome(params) {
      const { learning } = await projectAt(projects, params)
      const helped = optionalTexts(params, "helped_memory_ids") ?? []
      const wrong = optionalTexts(params, "wrong_memory_ids") ?? []
      for (const id of [...helped, ...wrong]) {
        if ((await learning.find(id)).length !== 1)
          throw new RpcError(rpcCodes.noSuchMemory, `no memory has the id ${id.slice(0, 80)}`)
      }
      const task = optionalText(params, "task_id")
      const session = optionalText(params, "session_id")
      const note = optionalText(params, "note")
      await learning.reportOutcome({
        outcome: oneOf(params, "outcome", ["success", "failure", "partial"]),
        helped,
        wrong,
        ...(task === undefined ? {} : { task }),
        ...(session === undefined ? {} : { session }),
        ...(note === undefined ? {} : { note }),
      })
      return { recorded: true }
    },
  }
}

function taskOf(params: Params): string {
  const task = textOf(params, "task")
  if (task.trim() === "") throw new RpcError(rpcCodes.emptyTask, "the task is empty")
  return task
}

/** The files that the task is about and the folder it is done in, from the root of the project; what lies outside says nothing here. */
function pathsOf(params: Params, root: string): string[] {
  const cwd = optionalText(params, "cwd")
  const named = optionalTexts(params, "paths") ?? []
  return [...named, ...(cwd === undefined ? [] : [cwd])]
    .map((path) => relative(root, resolve(root, path)))
    .filter((path) => path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path))
    .map((path) => path.split(sep).join("/"))
}
