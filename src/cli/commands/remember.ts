import { type Command, Option } from "commander"
import type { RememberOptions } from "../../drey/team-folder.ts"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { actingAgent } from "../../hooks/acting-agent.ts"
import type { Capture, RememberOutcome } from "../../team/remember.ts"
import { command } from "../command.ts"
import { colors } from "../output.ts"
import { type CommonOptions, pathFromHere, print, printNotice } from "../print.ts"
import { readPiped } from "../prompt.ts"

/** What an entry is, as an option. */
export type TypeOptions = { rule?: boolean | undefined; decision?: boolean | undefined; note?: boolean | undefined }

export function typeOf({ rule, decision, note }: TypeOptions): "directive" | "decision" | "note" | undefined {
  return rule ? "directive" : decision ? "decision" : note ? "note" : undefined
}

type Options = CommonOptions &
  TypeOptions & {
    author?: string
    why?: string
    title?: string
    tags?: string
    scope?: string
    propose?: boolean
  }

export function rememberCommand(): Command {
  return command(
    "remember",
    "Save a rule, a decision or a note for the team, in any language. Saved to decisions.md at once and committed with the repository; what a coding agent saves goes to the inbox. Whether it is a rule, a decision or a note is detected; say it with an option if the result is wrong. Exit code 1 when it contains a secret.",
    'drey remember "Indent with tabs"\ndrey remember "We keep orders in PostgreSQL" --why "One database to back up"\ndrey remember --note "Staging is read-only at night"',
  )
    .argument("[text...]", "the sentence or text; default: stdin")
    .addOption(new Option("--rule", "a rule: agents must follow it").conflicts(["decision", "note"]))
    .addOption(new Option("--decision", "a decision: what was chosen").conflicts(["rule", "note"]))
    .addOption(new Option("--note", "a note: background").conflicts(["rule", "decision"]))
    .option("--why <reason>", "the reason, which later readers will ask for")
    .option("--title <title>", "default: the first words")
    .option("--tags <tags>", "comma-separated")
    .option("--scope <scope>", "team, project, agent:<name> or skill:<name>; default: team")
    .option("--author <name>", "default: your name in git")
    .option("--propose", "add it to the inbox for review instead")
    .option("-q, --quiet", "print only the id")
    .action(saveStatement)
}

async function saveStatement(words: string[], options: Options): Promise<void> {
  const text = words.length > 0 ? words.join(" ") : await readPiped()
  if (text.trim() === "")
    throw new DreyError("Nothing to remember", { hint: 'Example: drey remember "Indent with tabs"' })
  const drey = openDrey({ ...options, agent: actingAgent(process.env) })
  const result = await drey.team.remember(text, toRequest(options))
  print(
    options,
    () => result,
    () => (result.kind === "refused" ? "" : rememberedText(result, drey.root)),
    () => (result.kind === "refused" ? "" : result.id),
  )
  if (result.kind !== "refused") return
  printNotice(`drey: ${refusalOf(result)}`)
  process.exitCode = exitCode.no
}

function toRequest({ tags, author, why, title, scope, propose, ...options }: Options): RememberOptions {
  return {
    type: typeOf(options),
    author,
    why,
    title,
    scope,
    propose: propose === true,
    tags: tags?.split(",").map((tag) => tag.trim()),
  }
}

const names = { directive: "rule", decision: "decision", note: "note" } as const

/** Where it is, and how to change or undo it. */
function rememberedText(result: Exclude<RememberOutcome, { kind: "refused" }>, root: string): string {
  const { kind, id, type, title, path, line } = result
  const short = briefId(id)
  const place = `${pathFromHere(path, root)}:${line}`
  const head = {
    saved: `Saved as a ${names[type]}: ${title}`,
    known: `Already saved: ${title}`,
    proposed: `Proposed as a ${names[type]}: ${title}`,
  }[kind]
  const next = {
    saved: `Change it: drey edit ${short}. Undo: drey undo`,
    known: `Change it: drey edit ${short}`,
    proposed: `Accept it: drey inbox accept ${short}`,
  }[kind]
  return `${head}\n${colors.dim(`  ${place}  ${next}`)}`
}

/** Short enough to type, and long enough that no other is expected to begin with it. */
function briefId(id: string): string {
  const [, kind = "", rest = id] = /^([a-z]+-)?(.*)$/.exec(id) ?? []
  return `${kind === "sem-" ? "" : kind}${rest.slice(0, 8)}`
}

/** Names the place and the rule, never the text. */
function refusalOf({ where, line, reason }: Extract<RememberOutcome, { kind: "refused" }>): string {
  const place = where === "author" ? "the author's name" : `line ${line}`
  return `Not saved: ${place} contains ${withArticle(reason)}. Remove it and try again.`
}

/** What cannot be counted has no article: "personal data". */
function withArticle(noun: string): string {
  return /data$|topology$|content$/.test(noun) ? noun : `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`
}

type OptionsDirective = CommonOptions & { author: string; force?: boolean }

export function directiveCommand(): Command {
  return command(
    "directive",
    'Add a rule that the user stated to decisions.md. It must read like one ("always…", "never…", "from now on…"); drey remember saves any sentence. Exit code 1 when the text does not read like a lasting rule, or contains a secret.',
    'drey directive "Always use single quotes." --author "Ines Falk"',
  )
    .argument("<text...>", "the rule in the user's words")
    .requiredOption("--author <name>", "who stated the rule")
    .option("-f, --force", "add it even if it does not read like a lasting rule")
    .action(takeDirective)
}

async function takeDirective(words: string[], { force = false, ...options }: OptionsDirective): Promise<void> {
  const { team } = openDrey({ ...options, agent: actingAgent(process.env) })
  const capture = await team.captureDirective(words.join(" "), options.author, { force })
  print(
    options,
    () => capture,
    () => ("acknowledgement" in capture ? capture.acknowledgement : ""),
  )
  const why = whyNot(capture)
  if (why === undefined) return
  printNotice(`drey: ${why}`)
  process.exitCode = exitCode.no
}

function whyNot(capture: Capture): string | undefined {
  if (capture.kind === "no-directive") return "This does not read like a lasting rule. Add it anyway with --force."
  return capture.kind === "refused" ? refusalOf(capture) : undefined
}
