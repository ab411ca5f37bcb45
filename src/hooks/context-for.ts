import type { Drey } from "../drey.ts"
import { pathFromRoot } from "../quick-guards.ts"
import type { AnswerParts } from "./answer-event.ts"
import type { HookAnswer, HookEvent } from "./hook-event.ts"
import type { Told } from "./told.ts"

type Prompt = HookEvent & { kind: "prompt" }

/** Some clients move longer text into a file and show the model only its beginning. */
export const mostCharacters = 9500

const longestTask = 8000

/** Marks a session that has had its first context. */
const prompted = "prompted"

/**
 * Context for a prompt that this session has not seen; undefined when there is none. The first prompt gets everything
 * that fits, later ones only what is relevant. `room` is the number of characters left beside other text.
 */
export async function contextFor(
  drey: { context: Pick<Drey["context"], "build"> },
  { text, client, session, agent, cwd }: Prompt,
  { told, team, recall, showsUser }: Pick<AnswerParts, "told" | "team" | "recall" | "showsUser">,
  room = mostCharacters,
): Promise<Extract<HookAnswer, { kind: "context" }> | undefined> {
  const isFirst = session !== undefined && !told.has(prompted)
  const { context } = await drey.context.build({
    agent,
    task: text.slice(0, longestTask),
    paths: pathsAt(cwd, team.root),
    client,
    session,
    budget: recall.promptBudget,
    maxCharacters: room,
    told: told.all(),
    listed: listedIn(told),
    onlyRelevant: !isFirst,
  })
  told.add([prompted])
  noteHandedOver(told, context.included)
  if (context.text === "") return undefined
  const shown = recall.show && showsUser ? showHandOver(context.included.length, context.tokens) : undefined
  return { kind: "context", text: context.text, toUser: shown }
}

/** The agent's working folder, if it is below the repository's root: rules that apply only there are included. */
export function pathsAt(cwd: string, root: string): string[] {
  const path = pathFromRoot(cwd, root)
  return path === "" || path === cwd ? [] : [path]
}

/** The line for users who turned on `recall.show`. */
export function showHandOver(items: number, tokens: number): string {
  return `handed over ${items === 1 ? "1 item" : `${items} items`}, ${tokens.toLocaleString("en")} tokens`
}

const listedMark = "line of "

/** An item that was shown as one line may be shown in full later. */
export function noteHandedOver(told: Told, items: readonly { id: string; form: string }[]): void {
  told.add(items.map(({ id, form }) => (form === "line" ? `${listedMark}${id}` : id)))
}

/** The items of which a session has seen only one line. */
function listedIn(told: Told): string[] {
  return told.all().flatMap((key) => (key.startsWith(listedMark) ? key.slice(listedMark.length) : []))
}

export function noteListed(told: Told, ids: readonly string[]): void {
  told.add(ids.map((id) => `${listedMark}${id}`))
}
