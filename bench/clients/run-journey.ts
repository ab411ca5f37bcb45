import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { remedy } from "./make-project.ts"
import { mustWork, openPlace, type Place, type PlaceParts, type SessionRun } from "./open-place.ts"
import type { RealClient } from "./real-client.ts"
import { requestText } from "./request-text.ts"
import type { ProgramResult } from "./run-program.ts"
import { writeText } from "./write-text.ts"

export type Journey = {
  first: SessionRun
  second: SessionRun
  /** A session that hands a task to a sub-agent, where the client can. */
  delegating: SessionRun | undefined
  /** What Drey had learned when the first session had ended, without being asked to. */
  learnedAtEnd: string[]
  /** The same after the second, and after everything was read again. */
  learnedAfterwards: string[]
  /** What `drey validate --json` says of the entry in the inbox, and of everything when it was merged. */
  validations: ProgramResult[]
  decisions: string
  /** What `drey why --task` prints about what the second session was handed. */
  told: string
  isDisconnected: boolean
}

/** What the sub-agent is asked, and what its own history holds. */
export const subtask = "You are Kane. Find out why the nightly jobs are lost."
export const ownHistory = "The scheduler drops jobs at midnight"

export const rule = "From now on, always use pnpm, never npm."

const entryPath = ".squad/decisions/inbox/fenster-tax-rates-are-generated.md"
export const entryTitle = "Tax rates are generated"
/** In the form that the skill gives to agents. */
const entry = `# ${entryTitle}

**By:** Fenster
**What:** The tax rates are generated before the tests are run and are not committed.
**Why:** They change with the law, not with the code.
**Tags:** tests, taxes
`

/** Two sessions of a real client in one repository: in the first something is learned, in the second it has to be there. */
export async function runJourney(client: RealClient, parts: PlaceParts): Promise<Journey> {
  const place = await openPlace(client, parts)
  const { project, drey } = place
  try {
    const first = await place.session(`Please fix the price test, it fails. ${rule}`, [
      { text: "I'll run the tests.", tools: [client.run("node --test test/")] },
      { text: "The rates are missing; there is a tool that makes them.", tools: [client.run(remedy)] },
      { tools: [client.run("node --test test/")] },
      { text: "Fixed: the rates are generated and the test passes." },
    ])
    const learnedAtEnd = await waitForLearned(drey)

    rmSync(join(project, "generated"), { recursive: true, force: true })
    const second = await place.session("The price test fails in a fresh checkout, please fix it.", [
      { tools: [client.run("npm test")] },
      { tools: [client.searchMemory("pnpm or npm")] },
      { tools: [client.run(remedy)] },
      { tools: [client.run("node --test test/")] },
      { text: "I note what was found out.", tools: [client.write(entryPath, entry)] },
      { text: "Fixed: the rates are generated and the test passes." },
    ])
    const inInbox = await drey("validate", entryPath, "--json")
    await mustWork(drey("merge"))
    const merged = await drey("validate", "--json")

    await mustWork(drey("flush"))
    await mustWork(drey("ingest"))
    const learnedAfterwards = await readLearned(drey)
    const told = (await drey("why", "--task", taskOf(second), "--json")).stdout
    const decisions = readFileSync(join(project, ".squad", "decisions.md"), "utf8")

    writeText(join(project, ".squad/agents/kane/history.md"), `# Kane\n\n## Learnings\n\n- 2026-02-03: ${ownHistory}\n`)
    const delegation = client.delegate?.(subtask)
    const delegating =
      delegation &&
      (await place.session(
        "Please have the nightly jobs looked into.",
        [{ tools: [delegation] }, { text: "Done." }],
        subtask,
      ))

    await mustWork(drey("disconnect"))
    const isDisconnected = place.isAsBefore()
    const validations = [inInbox, merged]
    return { first, second, delegating, learnedAtEnd, learnedAfterwards, validations, decisions, told, isDisconnected }
  } finally {
    await place.close()
  }
}

/** The id of the context that came with the session's prompt: the last that its first request holds. */
function taskOf(session: SessionRun): string {
  return (
    requestText(session, 0)
      .match(/(?<=<drey-context task=")t-[0-9a-f]+/g)
      ?.at(-1) ?? "none"
  )
}

const patienceMs = 60_000

/** What was learned, once there is something: it is learned in the background, after the client has ended. */
async function waitForLearned(drey: Place["drey"]): Promise<string[]> {
  const end = Date.now() + patienceMs
  for (;;) {
    const texts = await readLearned(drey)
    if (texts.length > 0 || Date.now() > end) return texts
    await new Promise((settle) => setTimeout(settle, 500))
  }
}

async function readLearned(drey: Place["drey"]): Promise<string[]> {
  const { stdout } = await mustWork(drey("status", "--all", "--json"))
  const { memories }: { memories: { text: string }[] } = JSON.parse(stdout)
  return memories.map(({ text }) => text)
}
