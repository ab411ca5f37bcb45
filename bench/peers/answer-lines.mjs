import { createInterface } from "node:readline"

/** Answers each line of the input by the act it names, in the order they come; ends with the input. */
export async function answerLines(acts) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, act, ...about } = JSON.parse(line)
    let reply
    try {
      reply = { text: (await acts[act]?.(about)) ?? "" }
    } catch (error) {
      reply = { error: String(error?.stack ?? error) }
    }
    process.stdout.write(`${JSON.stringify({ id, ...reply })}\n`)
  }
  process.exit(0)
}
