import type { Command } from "commander"
import { DreyError } from "../../errors.ts"
import { didYouMean } from "../../formats/did-you-mean.ts"
import type { ContextChanges, ContextList } from "../../sessions/session.ts"
import { print } from "../print.ts"
import { collect, openSession, requireAgent, type SessionOptions, writingSubcommand } from "../session-face.ts"
import { contextText } from "../show-session.ts"

type Options = SessionOptions & { set?: string[]; add?: string[]; remove?: string[] }

const lists: readonly ContextList[] = ["constraints", "openQuestions", "nextSteps", "blockers", "assumptions"]

export function sessionContextCommand(): Command {
  return writingSubcommand(
    "context",
    "Show or change an agent's working context: plan step, files in scope, constraints, open questions, blockers.",
    'drey session context\ndrey session context --set currentPlanStep=2 --add "blockers=The test database is down" --remove "openQuestions=Which port?"',
  )
    .option("--set <key=value>", "set a field to a text or JSON value; an empty value removes it; repeatable", collect)
    .option("--add <list=text>", `add to ${lists.join(", ")}; repeatable`, collect)
    .option("--remove <list=text>", "remove a matching text from one of these lists; repeatable", collect)
    .action(showOrChange)
}

async function showOrChange(options: Options): Promise<void> {
  const changes: ContextChanges = {
    set: Object.fromEntries((options.set ?? []).map((pair) => splitPair(pair, "key=value")).map(readValue)),
    add: groupByList(options.add ?? []),
    remove: groupByList(options.remove ?? []),
  }
  const hasChanges = Object.values(changes).some((part) => Object.keys(part).length > 0)
  const session = await openSession(options)
  const agent = await requireAgent(session, options)
  const context = hasChanges
    ? await session.updateContext(agent, changes)
    : (await session.memories()).get(agent)?.context
  print(
    options,
    () => ({ agent, session: session.id, context: context ?? {} }),
    () => contextText(agent, context),
  )
}

function splitPair(pair: string, form: string): [key: string, value: string] {
  const at = pair.indexOf("=")
  if (at > 0) return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
  throw new DreyError(`"${pair}" is not ${form}`, {
    hint: 'For example: --set currentPlanStep=2 or --add "blockers=The database is down".',
  })
}

/** A number, `true`, a list or a map where it is written as one in JSON; else text. */
function readValue([key, value]: [string, string]): [string, unknown] {
  if (value === "") return [key, null] // removes the field
  try {
    return [key, JSON.parse(value)]
  } catch {
    return [key, value] // not JSON, so it is plain text
  }
}

function groupByList(pairs: readonly string[]): Partial<Record<ContextList, string[]>> {
  const groups: Partial<Record<ContextList, string[]>> = {}
  for (const pair of pairs) {
    const [name, text] = splitPair(pair, "list=text")
    const list = requireList(name)
    groups[list] = [...(groups[list] ?? []), text]
  }
  return groups
}

function requireList(name: string): ContextList {
  const list = lists.find((each) => each === name)
  if (list) return list
  const meant = didYouMean(name, lists)
  throw new DreyError(`"${name}" is not a list of the context`, {
    hint: meant === undefined ? `Its lists are ${lists.join(", ")}.` : `Did you mean ${meant}?`,
  })
}
