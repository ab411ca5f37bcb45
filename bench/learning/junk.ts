import { lintSource } from "@secretlint/core"
import { creator } from "@secretlint/secretlint-rule-preset-recommend"
import { detectForbidden } from "../../src/governance/detect-forbidden.ts"
import type { Memory } from "../../src/memories/memory.ts"

export type Junk = { duplicates: string[]; injections: string[]; secrets: string[]; singleUse: string[] }

/** What should not be among the memories: twice the same, what was put into the session, secrets, facts of one moment. */
export async function findJunk(
  memories: readonly Memory[],
  injected: string,
  likeness: (one: string, other: string) => number,
): Promise<Junk> {
  const texts = memories.map(({ text }) => text)
  const isNear = (one: string, other: string) => plain(one) === plain(other) || likeness(one, other) >= 0.95
  return {
    duplicates: texts.filter((text, at) => texts.slice(0, at).some((earlier) => isNear(earlier, text))),
    injections: texts.filter((text) => repeats(text, injected)),
    secrets: await secretsAmong(texts),
    singleUse: texts.filter((text) => momentary.some((pattern) => pattern.test(text))),
  }
}

/** By governance's own detector, and by secretlint's, which is independent of our rules. */
async function secretsAmong(texts: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const text of texts) if (detectForbidden(text).length > 0 || (await secretlintFinds(text))) found.push(text)
  return found
}

async function secretlintFinds(content: string): Promise<boolean> {
  const { messages } = await lintSource({
    source: { filePath: "/memory.md", ext: ".md", contentType: "text", content },
    options: { config: { rules: [{ id: "preset", rule: creator }] } },
  })
  return messages.length > 0
}

/** Words that only mean something while the task is in hand. */
const momentary = [
  /\b(?:this|that|the other) (?:one|line|file|button|test|bug|branch|commit|pr|page)\b/i,
  /\bline \d+\b/i,
  /\b(?:pr|issue|ticket) ?#?\d+\b/i,
  /\b[0-9a-f]{7,40}\b(?=.*\bcommit\b)/i,
  /\/(?:tmp|var\/folders)\//,
  /\b(?:today|yesterday|just now|a moment ago|tomorrow)\b/i,
  /^(?:no|yes|ok|okay|hmm|wait|stop)\b/i,
]

/** Whether eight consecutive words of a memory occur in what the client or a hook put into a session. */
function repeats(text: string, injected: string): boolean {
  const words = plain(text).split(" ")
  return words.some((_, at) => at + 8 <= words.length && injected.includes(words.slice(at, at + 8).join(" ")))
}

export function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
}
