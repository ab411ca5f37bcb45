import type { Command } from "commander"
import type { Memories } from "../../drey/memories.ts"
import { openDrey } from "../../drey.ts"
import { DreyError, exitCode } from "../../errors.ts"
import { dropUnseen } from "../../formats/drop-unseen.ts"
import type { Memory } from "../../store/memory.ts"
import { askYesNo } from "../ask.ts"
import { command } from "../command.ts"
import { type CommonOptions, count, print, tell } from "../print.ts"

type Options = CommonOptions & { purge?: boolean; yes?: boolean }

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

async function forget(words: string[], options: Options): Promise<void> {
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
  options: Options,
): Promise<string[]> {
  const hits = await drey.search.learned({ text: words.join(" "), limit: 10 })
  const own = hits.filter(({ sharedBy }) => sharedBy === undefined) // a memory shared by the team can only be withdrawn by its owner
  const memories = (await Promise.all(own.map(({ id }) => learning.find(id)))).flat()
  if (memories.length === 0)
    throw new DreyError(`No learned memory matches "${words.join(" ")}"`, {
      hint: `Search rules and decisions with: drey search ${words.join(" ")}`,
      exitCode: exitCode.no,
    })
  for (const memory of memories) tell(`  ${describe(memory)}`)
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
  return dropUnseen(`${id}  ${kind}: ${text}`)
}
