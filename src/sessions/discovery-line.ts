import type { Discovery } from "../formats/session/agent-memory.ts"
import { tellingLine } from "../formats/session/telling-line.ts"
import { lineOfText, linesOf, longestLine, longestName, shorten } from "./line-of-text.ts"

/** A discovery as a bullet, with the agent that made it where that is not who reads it. */
export function discoveryLine({ type, summary, content }: Discovery, agent?: string): string {
  const by = agent === undefined ? "" : ` (${lineOfText(agent, longestName)})`
  const head = `- [${lineOfText(type, longestName)}] `
  const told = [summary ?? "", content].map(lead).find((line) => line !== "") ?? "no details"
  return head + shorten(told, longestLine - head.length - by.length) + by
}

function lead(text: string): string {
  return lineOfText(tellingLine(linesOf(text).join("\n")))
}
