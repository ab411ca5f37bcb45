import { findingsOf } from "../../src/learning/episodes/findings.ts"
import { writerPrompt } from "../../src/learning/writer/prompt.ts"
import { episodeTokens, keys } from "../../src/learning/writer/writer-offers.ts"
import type { Episode } from "../../src/memories/episode.ts"
import { printColumns } from "../recall/print-table.ts"

/** Models split English and code into about four bytes a token. */
const bytesPerToken = 4

/** What the prompts for real episodes take, and what they cost: no model is called. */
export function printPrompts(episodes: readonly Episode[]): void {
  const prompts = episodes.map((episode) => {
    const findings = findingsOf(episode.events, episode.continuationOf !== undefined)
    const owner = { type: "user" as const, id: "bench" }
    const { system, prompt } = writerPrompt({ episode, findings, known: [], owner, project: "", mostMemories: 3 })
    const left = Number(/\((\d+) more events left out\)/.exec(prompt)?.[1] ?? 0)
    return {
      tokens: Math.round(Buffer.byteLength(system + prompt) / bytesPerToken),
      left,
      events: episode.events.length,
    }
  })
  const sizes = prompts.map(({ tokens }) => tokens).sort((one, other) => one - other)
  const at = (share: number) => String(sizes[Math.floor(share * (sizes.length - 1))] ?? 0)
  const mean = Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length)
  const events = prompts.reduce((sum, each) => sum + each.events, 0)
  const left = prompts.reduce((sum, each) => sum + each.left, 0)
  printColumns([
    ["prompts", "mean", "median", "95 %", "largest", "with events left out", "events left out"],
    [
      String(sizes.length),
      String(mean),
      at(0.5),
      at(0.95),
      at(1),
      String(prompts.filter((each) => each.left > 0).length),
      `${left} of ${events}`,
    ],
  ])
  console.log(
    `\nTokens at ${bytesPerToken} bytes; \`drey learn --writer\` counts with ${episodeTokens.prompt} read and ${episodeTokens.answer} written.`,
  )
  for (const { model, price } of keys) {
    const [read, written] = [mean * price[0], episodeTokens.answer * price[1]]
    console.log(
      `${model} at $${price.join(" / $")} a million: $${((100 * (read + written)) / 1e6).toFixed(2)} for 100 tasks`,
    )
  }
}
