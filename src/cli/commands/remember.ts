import type { Command } from "commander"
import { actingAgent } from "../../agent.ts"
import type { Memories } from "../../drey/memories.ts"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { removeInvisible } from "../../formats/text.ts"
import type { Memory } from "../../memories/memory.ts"
import type { Capture } from "../../team/directives.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print, printNotice } from "../print.ts"
import { askYesNo } from "../prompt.ts"

type Options = CommonOptions & { author: string }

export function directiveCommand(): Command {
  return command(
    "directive",
    'Add a rule that the user stated ("always…", "never…", "from now on…") to decisions.md. Exit code 1 when the text does not read like a lasting rule, or contains a secret.',
    'drey directive "Always use single quotes." --author "Ines Falk"',
  )
    .argument("<text...>", "the rule in the user's words")
    .requiredOption("--author <name>", "who stated the rule")
    .action(takeDirective)
}

async function takeDirective(words: string[], options: Options): Promise<void> {
  const capture = await openDrey({ ...options, agent: actingAgent(process.env) }).team.captureDirective(
    words.join(" "),
    options.author,
  )
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
  if (capture.kind === "no-directive")
    return "this does not read like a lasting rule. It looks like a request, a question, or an instruction for one agent or task."
  if (capture.kind !== "refused") return undefined
  const place = capture.where === "author" ? "the author's name" : `line ${capture.line} of the text`
  return `not saved: ${place} contains ${capture.reason}. Remove it and try again.`
}

type OptionsForget = CommonOptions & { purge?: boolean; yes?: boolean }

export function forgetCommand(): Command {
  return command(
    "forget",
    "Forget a learned memory: by id, or by search words, which shows the matches and asks first. With --purge only the id is kept, so that the memory is not learned again.",
    'drey forget m:4f2a91\ndrey forget "staging server" --purge',
  )
    .argument("<what...>", "ids or handles, or words to search for")
    .option("--purge", "also remove the text, the evidence and the usage record")
    .option("-y, --yes", "do not ask before forgetting search results")
    .action(forget)
}

async function forget(words: string[], options: OptionsForget): Promise<void> {
  const drey = openDrey(options)
  const learning = drey.memories
  const found = words.every(isName) ? words : await confirmed(drey, learning, words, options)
  const result = await learning.forget(found, { purge: options.purge === true })
  await drey.close()
  print(
    options,
    () => result,
    () => `${options.purge ? "Purged" : "Forgot"} ${count(result.forgotten.length, "memory", "memories")}.`,
  )
}

function isName(word: string): boolean {
  return /^\[?m[-:][0-9a-f]{2,16}\]?$/.test(word) || /^(?=[a-f]*\d)[0-9a-f]{6,16}$/.test(word) // "decade" is a word
}

async function confirmed(
  drey: ReturnType<typeof openDrey>,
  learning: Memories,
  words: string[],
  options: OptionsForget,
): Promise<string[]> {
  const hits = await drey.search.learned({ text: words.join(" "), limit: 10 })
  const own = hits.filter(({ sharedBy }) => sharedBy === undefined) // a memory shared by the team can only be withdrawn by its owner
  const memories = (await Promise.all(own.map(({ id }) => learning.find(id)))).flat()
  if (memories.length === 0)
    throw new DreyError(`No learned memory matches "${words.join(" ")}"`, {
      hint: `Search rules and decisions with: drey search ${words.join(" ")}`,
      exitCode: exitCode.no,
    })
  for (const memory of memories) printNotice(`  ${describe(memory)}`)
  if (options.yes) return memories.map(({ id }) => id)
  if (!process.stdin.isTTY)
    throw new DreyError(`${count(memories.length, "memory was", "memories were")} found; nothing was forgotten`, {
      hint: "Name them by id, or confirm with --yes.",
      exitCode: exitCode.no,
    })
  if (!(await askYesNo(`Forget ${memories.length === 1 ? "it" : "all of them"}?`)))
    throw new DreyError("Nothing was forgotten", { exitCode: exitCode.no })
  return memories.map(({ id }) => id)
}

function describe({ id, kind, text }: Memory): string {
  return removeInvisible(`${id}  ${kind}: ${text}`)
}

type OptionsPin = CommonOptions & { off?: boolean }

export function pinCommand(): Command {
  return command(
    "pin",
    "Keep a learned memory even if it goes unused: it never expires and is never retired automatically.",
    "drey pin m:4f2a91\ndrey pin m:4f2a91 --off",
  )
    .argument("<id>", "the memory, by id or handle")
    .option("--off", "unpin it: it can expire or be retired again")
    .action(async (id: string, options: OptionsPin) => {
      const drey = openDrey(options)
      await drey.memories.pin(id, options.off !== true)
      await drey.close()
      print(
        options,
        () => ({ id, pinned: options.off !== true }),
        () => (options.off ? `Unpinned ${id}.` : `Pinned ${id}.`),
      )
    })
}
