import type { Command } from "commander"
import { exitCode } from "../../errors.ts"
import { type MemoryCommandOptions, type MemoryFace, memorySubcommand, requireText, runMemory } from "../memory-face.ts"

type Options = MemoryCommandOptions & { content?: string; class?: string; loadGuidance?: string }

export function memoryClassifyCommand(face: MemoryFace): Command {
  return memorySubcommand(
    "classify",
    "Check whether a text would be accepted, without storing it (dry run).",
    'drey memory classify "Always use tabs"',
  )
    .argument("[content...]", "the text")
    .option("--content <text>", "the text, instead of the words")
    .option("--class <class>", "LOCAL, DECISION, POLICY or COPILOT_MEMORY")
    .option("--load-guidance <guidance>", "ALWAYS, ON-DEMAND, ARCHIVE or NEVER")
    .action((words: string[], options: Options) =>
      runMemory(face, "classify", options, async (memory, log) => {
        const content = requireText(options.content, words, "drey memory classify <content> [--class <class>]")
        log("debug", "classify.request", { contentLength: content.length, requestedClass: options.class ?? "auto" })
        const started = performance.now()
        const request = { content, class: options.class, loadGuidance: options.loadGuidance }
        const classification = await memory.classify(request)
        const { class: memoryClass, allowed, destination, loadGuidance } = classification
        const elapsedMs = Math.round(performance.now() - started)
        log("info", "classify.complete", { class: memoryClass, allowed, destination, loadGuidance, elapsedMs })
        return { document: classification, code: allowed ? exitCode.done : exitCode.no }
      }),
    )
}
