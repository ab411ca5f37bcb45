import type { HookAnswer, HookEvent } from "../clients/hook-event.ts"
import type { Drey } from "../drey.ts"
import type { AnswerParts } from "./fast-answer.ts"
import type { SeenItems } from "./seen-items.ts"
import { relativeToRoot } from "./tool-guards.ts"

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
export async function buildHookContext(
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
  const path = relativeToRoot(cwd, root)
  return path === "" || path === cwd ? [] : [path]
}

/** The line for users who turned on `recall.show`. */
export function showHandOver(items: number, tokens: number): string {
  return `handed over ${items === 1 ? "1 item" : `${items} items`}, ${tokens.toLocaleString("en")} tokens`
}

const listedMark = "line of "

/** An item that was shown as one line may be shown in full later. */
export function noteHandedOver(told: SeenItems, items: readonly { id: string; form: string }[]): void {
  told.add(items.map(({ id, form }) => (form === "line" ? `${listedMark}${id}` : id)))
}

/** The items of which a session has seen only one line. */
function listedIn(told: SeenItems): string[] {
  return told.all().flatMap((key) => (key.startsWith(listedMark) ? key.slice(listedMark.length) : []))
}

export function noteListed(told: SeenItems, ids: readonly string[]): void {
  told.add(ids.map((id) => `${listedMark}${id}`))
}

/** Whether a prompt names no task: "yes", "go on", "looks good, continue", a command to the client. */
export function isTrivialPrompt(prompt: string): boolean {
  const words = prompt.trim()
  if (/^[/!#]\S*(?:\s+\S{1,40})?$/.test(words)) return true
  return (
    words.length <= 60 &&
    words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}' ]+/gu, " ")
      .replace(trivialWords, " ")
      .trim() === ""
  )
}

const trivialWords =
  /\b(?:thank you|go on|go ahead|keep going|carry on|try again|do it|do that|do so|ship it|that works|it works|y|n|k|yes|yep|yeah|yup|no|nope|ok|okay|sure|right|correct|exactly|agreed|fine|good|great|nice|cool|perfect|awesome|excellent|thanks|thx|ty|please|pls|continue|proceed|go|resume|next|again|retry|lgtm|looks|sounds|works|done|stop|wait|and|then|all|it|now|[1-9]|a|b|c|ja|nein|weiter|danke|oui|non|merci|si|sí|gracias)\b/gu
