import { Option } from "commander"
import { type Drey, openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import type { WriterOffer } from "../../learning/writer/writer-offers.ts"
import type { WriterTrial } from "../../learning/writer-trial.ts"
import { colors, writeOut } from "../output.ts"
import { type CommonOptions, print } from "../print.ts"
import { askLine } from "../prompt.ts"

export type WriterOptions = CommonOptions & { writer?: string | true; model?: string }

/** Of `drey learn`. */
export function writerOption(): Option {
  return new Option(
    "--writer [name]",
    "choose what writes memories: rules (the built-in writer), claude, codex, gemini, copilot, ollama, lmstudio, anthropic, openai, google, or the URL of an OpenAI-compatible server; without a name it asks; test shows the prompt and the answer for one task",
  )
}

/** `drey learn --writer [NAME|URL|test]`. */
export async function learnWriter(options: WriterOptions): Promise<void> {
  const drey = openDrey(options)
  try {
    if (options.writer === "test") return await testWriter(drey, options)
    if (typeof options.writer === "string") return await chooseNamed(drey, options.writer, options)
    const offers = await drey.memories.writer.offers()
    if (options.json || !process.stdin.isTTY)
      return print(
        options,
        () => offers,
        () => `${offersText(offers)}\nChoose one with: drey learn --writer NAME`,
      )
    await askForWriter(drey, offers)
  } finally {
    await drey.close()
  }
}

async function chooseNamed(drey: Drey, name: string, options: WriterOptions): Promise<void> {
  const offers = await drey.memories.writer.offers()
  const offer = /^https?:\/\//.test(name)
    ? await drey.memories.writer.offerServer(name, options.model)
    : offers.find((each) => each.name === name)
  if (offer === undefined)
    throw new DreyError(`The writer "${name}" is not on this machine`, {
      hint: `Found: ${offers.map((each) => each.name).join(", ")}. A server is named by its URL.`,
    })
  await choose(drey, offer, options)
}

async function choose(drey: Drey, offer: WriterOffer, options: WriterOptions): Promise<void> {
  const { settings } = offer
  const { model } = options
  const chosen = model !== undefined && settings.kind === "model" ? { ...settings, model } : settings
  await drey.memories.writer.choose(chosen)
  print(
    options,
    () => ({ writer: chosen }),
    () => `From now on ${offer.label} writes memories. ${whoReads(offer)} "drey learn --writer test" shows it at work.`,
  )
}

const mostAsked = 3

/** The one question: which writer. Enter leaves it as it is. */
export async function askForWriter(drey: Drey, offers: readonly WriterOffer[]): Promise<void> {
  writeOut(`${offersText(offers)}\n`, { paged: false })
  for (let asked = 0; asked < mostAsked; asked++) {
    const answer = await askLine(`Which one? [1-${offers.length}, Enter for 1] `)
    const offer = offers[answer === "" ? 0 : Number(answer) - 1]
    if (offer !== undefined) return choose(drey, offer, {})
    writeOut(`"${answer}" is not one of them.\n`, { paged: false })
  }
  writeOut('The writer is unchanged. Choose one later with "drey learn --writer".\n', { paged: false })
}

function offersText(offers: readonly WriterOffer[]): string {
  const lines = offers.map((offer, at) => {
    const reader = offer.reader === undefined ? "stays on this machine" : `sent to ${offer.reader}, without secrets`
    return `  ${at + 1}. ${colors.bold(offer.name)}  ${offer.label}\n     ${colors.dim(`per task: ${offer.cost}; ${reader}`)}`
  })
  return [
    "A writer turns what happened in a task into memories. A model understands more than the built-in writer:",
    ...lines,
  ].join("\n")
}

function whoReads({ reader }: WriterOffer): string {
  return reader === undefined
    ? "Nothing leaves this machine."
    : `After each task, what was said and done in it is sent to ${reader}, without secrets.`
}

async function testWriter(drey: Drey, options: WriterOptions): Promise<void> {
  const trial = await drey.memories.writer.test()
  if (trial === undefined)
    throw new DreyError("There is no task to test the writer with yet", {
      hint: "Run drey learn first, or work with a coding agent in this repository.",
      exitCode: exitCode.no,
    })
  print(
    options,
    () => trial,
    () => trialText(trial),
  )
}

function trialText({ writer, episode, prompt, printed, answer }: WriterTrial): string {
  const part = (name: string, text: string) => `${colors.bold(name)}\n\n${text.trim()}\n`
  const isModel = printed.length > 0 || answer.kind !== "written"
  return [
    `${writer} on ${episode.id}, ${episode.client}, ${episode.start.slice(0, 16).replace("T", " ")}`,
    "",
    ...(isModel ? [part("What it is sent", `${prompt.system}\n\n${prompt.prompt}`)] : []),
    ...printed.map((text) => part("What it answers", text)),
    part("What would be kept", keptText(answer)),
  ].join("\n")
}

function keptText(answer: WriterTrial["answer"]): string {
  if (answer.kind !== "written") return `Nothing: ${answer.reason}`
  const kept = answer.operations.map((operation) =>
    operation.op === "DEPRECATE"
      ? `ends ${operation.target}: ${operation.reason}`
      : `${operation.kind}: ${operation.text}  ${colors.dim(`${operation.evidence.source}, ${operation.confidence}`)}`,
  )
  const refused = answer.dropped.map((reason) => colors.dim(`refused: ${reason}`))
  const lines = [...kept, ...refused]
  return lines.length === 0 ? `Nothing${answer.discardReason ? `: ${answer.discardReason}` : "."}` : lines.join("\n")
}
