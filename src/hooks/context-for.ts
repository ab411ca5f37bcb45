import type { Drey } from "../drey.ts"
import type { HookAnswer, HookEvent } from "./hook-event.ts"
import type { Told } from "./told.ts"

type Prompt = HookEvent & { kind: "prompt" }

/** Some clients put what is longer into a file, of which the model sees the beginning. */
export const mostCharacters = 9500

/** Tokens are counted, but clients count characters: rarely, what fits by the one does not by the other. */
const budgets = [2000, 1400, 1000]

const longestTask = 8000

/** What the team knows about a prompt and this session has not been told; undefined when that is nothing. `room` is for what stands beside it. */
export async function contextFor(
  drey: Pick<Drey, "context">,
  { text, client, session }: Prompt,
  told: Told,
  room = mostCharacters,
): Promise<HookAnswer | undefined> {
  for (const budget of budgets) {
    const request = { task: text.slice(0, longestTask), client, session, budget, told: told.all() }
    const { context } = await drey.context(request)
    if (context.text.length > room) continue
    if (context.text === "") return undefined
    told.add(context.included.map(({ id }) => id))
    return { kind: "context", text: context.text }
  }
  return undefined
}
