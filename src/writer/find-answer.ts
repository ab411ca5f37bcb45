import { isRecord } from "../disk/parse-json.ts"

/**
 * The JSON object with `ops` in the output of a model or command; undefined when there is none. It may be surrounded by
 * prose, in a code fence, on a line of its own, or a string inside the JSON that a client wraps around an answer.
 */
export function findAnswer(printed: string): Record<string, unknown> | undefined {
  return answerInText(printed, 0)
}

/** Deeper than any client wraps an answer. */
const deepest = 6

function answerInText(text: string, depth: number): Record<string, unknown> | undefined {
  for (const candidate of candidatesIn(text)) {
    const answer = answerInValue(parse(candidate), depth)
    if (answer) return answer
  }
  return undefined
}

/** Where JSON may be, likeliest first; of several lines and fences the last, because an answer comes at the end. */
function* candidatesIn(text: string): Generator<string> {
  yield text
  yield* text
    .split(/^```[a-z]*[ \t]*$/im)
    .filter((_, index) => index % 2 === 1)
    .reverse()
  yield* text
    .split("\n")
    .filter((line) => /^\s*[{[]/.test(line))
    .reverse()
  yield text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)
}

function answerInValue(value: unknown, depth: number): Record<string, unknown> | undefined {
  if (depth > deepest) return undefined
  if (typeof value === "string") return value.includes("ops") ? answerInText(value, depth + 1) : undefined
  if (typeof value !== "object" || value === null) return undefined
  if (isRecord(value) && Array.isArray(value.ops)) return value
  for (const part of Object.values(value).reverse()) {
    const answer = answerInValue(part, depth + 1)
    if (answer) return answer
  }
  return undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // one of several candidates; the caller reports when none contains an answer
  }
}
