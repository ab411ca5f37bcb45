import { setTimeout as pause } from "node:timers/promises"
import type { makeWords } from "./make-words.ts"
import type { Resident } from "./residents.ts"
import { noteRun, noteTrouble, type SoakLog } from "./soak-log.ts"
import type { SoakPlace } from "./soak-place.ts"
import type { Writer } from "./writers.ts"

type Load = {
  place: SoakPlace
  log: SoakLog
  words: ReturnType<typeof makeWords>
  writers: readonly Writer[]
  residents: readonly Resident[]
  until: number
}

/** Everything at once until the time is over; then what was begun is waited for. */
export async function runLoad(load: Load): Promise<void> {
  const { writers, log } = load
  await Promise.all([
    ...writers.map((writer) => repeat(load, 800, () => writeOnce(log, writer))),
    repeat(load, 500, () => askForContext(load)),
    repeat(load, 500, () => askForContext(load)),
    repeat(load, 1000, () => runOnce(load, "search", ["search", load.words.next("search").sentence, "--json"])),
    repeat(load, 1000, () => runOnce(load, "recent", ["recent", "--json"])),
    repeat(load, 500, () => callHook(load)),
    repeat(load, 8000, () => runOnce(load, "tidy", ["tidy", "--json"])),
    repeat(load, 15_000, () => runOnce(load, "evaluate", ["evaluate", "--json"])),
    repeat(load, 2000, async () => noteMemory(load)),
    repeat(load, 3000, async () => killOne(load)),
  ])
}

async function repeat({ until, words }: Load, meanMs: number, act: () => Promise<unknown>): Promise<void> {
  while (Date.now() < until) {
    await act()
    await pause(Math.min(meanMs * 2 * words.random(), Math.max(0, until - Date.now())))
  }
}

async function writeOnce(log: SoakLog, writer: Writer): Promise<void> {
  const result = await writer.write()
  if (result.kind === "trouble") noteTrouble(log, writer.name, result.words)
  else if (result.kind === "acknowledged" && result.where)
    log.written.push({ writer: writer.name, word: result.word, in: result.where })
  noteRun(log, writer.name, result.kind === "acknowledged" ? "done" : result.kind === "killed" ? "killed" : "failed")
}

async function runOnce(
  { place, log }: Load,
  name: string,
  args: readonly string[],
  input?: string,
): Promise<number | undefined> {
  const { code, stderr, stdout, ms, wasKilled } = await place.run(name, args, input)
  const isDone = code === 0
  noteRun(log, name, wasKilled ? "killed" : isDone ? "done" : "failed")
  if (!wasKilled && !isDone) noteTrouble(log, name, stderr || stdout)
  return isDone && !wasKilled ? ms : undefined
}

async function askForContext(load: Load): Promise<void> {
  const at = Date.now()
  const ms = await runOnce(load, "context", ["context", "--task", load.words.next("task").sentence, "--json"])
  if (ms !== undefined) load.log.contexts.push({ at, ms })
}

/** As Claude Code calls it, with a prompt. */
async function callHook(load: Load): Promise<void> {
  const { root } = load.place
  const input = {
    session_id: "soak",
    transcript_path: "",
    cwd: root,
    hook_event_name: "UserPromptSubmit",
    prompt: load.words.next("prompt").sentence,
  }
  await runOnce(load, "hook", ["hook", "claude-code", "UserPromptSubmit"], JSON.stringify(input))
}

function noteMemory({ residents, log }: Load): void {
  for (const resident of residents) {
    const seen = resident.look()
    if (seen) log.memory.push({ name: resident.name, life: resident.lives(), ...seen })
  }
}

/** Those that stay are spared mostly: what they have in memory is to be seen over minutes. */
function killOne({ place, residents, words, log }: Load): void {
  const staying = new Set(residents.map(({ name }) => name))
  const isResident = words.random() < 0.03
  const candidates = [...place.live].filter(([, name]) => staying.has(name) === isResident)
  if (candidates.length === 0) return
  place.kill(words.pick(candidates)[0])
  log.kills++
}
