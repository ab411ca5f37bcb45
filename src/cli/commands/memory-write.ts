import type { Command } from "commander"
import { DreyError, exitCode } from "../../errors.ts"
import { agentOfScope, isScope } from "../../formats/scope.ts"
import {
  type MemoryCommandOptions,
  type MemoryFace,
  memorySubcommand,
  readBoolean,
  requireText,
  runMemory,
} from "../memory-face.ts"

type Options = MemoryCommandOptions & {
  content?: string
  title?: string
  author?: string
  class?: string
  approved?: string | true
  loadGuidance?: string
  scope?: string
  tags?: string
}

export function memoryWriteCommand(face: MemoryFace): Command {
  return memorySubcommand(
    "write",
    "Store a memory if governance accepts it; with --scope agent:<name>, append it to that agent's history.",
    'drey memory write "Use tabs" --class DECISION --author kane\ndrey memory write "Queues block" --scope agent:kane',
  )
    .argument("[content...]", "the text")
    .option("--content <text>", "the text, instead of the words")
    .option("--title <title>", "default: the first line")
    .option("--author <name>", "the author")
    .option("--class <class>", "LOCAL, DECISION, POLICY or COPILOT_MEMORY; default: detected from the text")
    .option("--approved [boolean]", "allow storing it in an external memory")
    .option("--load-guidance <guidance>", "ALWAYS, ON-DEMAND, ARCHIVE or NEVER")
    .option("--scope <scope>", "team, project, agent:<name> or skill:<name>")
    .option("--tags <tags>", "comma-separated")
    .action((words: string[], options: Options) =>
      runMemory(face, "write", options, async (memory, log) => {
        const { approved, rest } = readApproved(options.approved)
        const content = requireText(
          options.content,
          [...rest, ...words],
          "drey memory write <content> [--class <class>]",
        )
        const { title, author } = options
        log("debug", "write.request", {
          contentLength: content.length,
          requestedClass: options.class ?? "auto",
          titleProvided: title !== undefined,
          authorProvided: author !== undefined,
        })
        const started = performance.now()
        const agent = agentOf(options)
        const tags = options.tags?.split(",").map((tag) => tag.trim())
        const metadata = {
          ...(options.scope === undefined ? {} : { scope: options.scope }),
          ...(tags === undefined ? {} : { tags: tags.join(", ") }),
        }
        const result =
          agent === undefined
            ? await memory.write({
                content,
                title,
                author,
                class: options.class,
                approved,
                loadGuidance: options.loadGuidance,
                metadata,
              })
            : await memory.writeForAgent(agent, { content, title, author, ...(tags === undefined ? {} : { tags }) })
        const { class: memoryClass, allowed, destination, loadGuidance } = result.classification
        log("info", "write.complete", {
          stored: result.stored,
          class: memoryClass,
          allowed,
          destination,
          loadGuidance,
          elapsedMs: Math.round(performance.now() - started),
        })
        return { document: result, code: result.stored ? exitCode.done : exitCode.no }
      }),
    )
}

/** `--approved` takes an optional value; a following word that is not a boolean is the start of the content. */
function readApproved(value: string | true | undefined): { approved: boolean; rest: string[] } {
  if (value === undefined || value === true) return { approved: value === true, rest: [] }
  const read = readBoolean(value)
  return read === undefined ? { approved: true, rest: [value] } : { approved: read, rest: [] }
}

function agentOf({ scope, class: requested }: Options): string | undefined {
  if (scope === undefined) return undefined
  if (!isScope(scope))
    throw new DreyError(`"${scope}" is not a scope. Write team, project, agent:<name> or skill:<name>.`)
  const agent = agentOfScope(scope)
  if (agent !== undefined && requested !== undefined && requested.trim().toUpperCase() !== "LOCAL") {
    throw new DreyError("An agent's own memory is LOCAL: omit --class or --scope")
  }
  return agent
}
