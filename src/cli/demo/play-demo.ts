import { writeLaterSession } from "./later-session.ts"
import type { Sample } from "./lay-out-sample.ts"
import type { Cut, Stage } from "./open-stage.ts"

/** The tasks Kane does after the three transcripts have been read. */
const tasks = [
  { task: "Add a package that retries payments when the bank is slow", name: "p-retry" },
  { task: "Install zod and check the booking form with it", name: "zod" },
  { task: "Add a package that draws QR codes on the tickets", name: "qrcode" },
] as const

/** The whole workflow, from files as found to an agent's context and its reasons. All output comes from real commands. */
export async function playDemo(stage: Stage, sample: Sample, now: () => number): Promise<void> {
  const { say, drey } = stage
  say("1. Without Drey", [
    `Kane's task: ${tasks[0].task}.`,
    "Kane reads all of the team's decisions, each in a different format, and",
    "nothing about the problems that other agents had:",
  ])
  await readWhole(stage, ".squad/decisions.md", { first: 11 })
  say("2. The same files, read by Drey", ["Five styles of headings, labels and dates; each entry with its place:"])
  await drey(["memory"])
  say("3. Convert everything to one format", ["With a backup and undo. Uncertain entries are left for review:"])
  await drey(["convert-memory"], { first: 7, last: 4 })
  say("4. What other agents learned the hard way", [
    "Claude Code, Codex CLI and Gemini CLI have one transcript each. Drey reads",
    "them in place and learns from them, here without a model:",
  ])
  const learned = await drey(["ingest"])
  say("5. With Drey", ["Kane gets the rules and every entry that fits, the most relevant first:"])
  await workWithContext(tasks[0])
  say("6. More work", [
    "The demo plays the agent, which succeeds each time. Drey reads the result,",
    "which happens automatically for connected agents; then two more tasks:",
  ])
  await drey(["ingest"])
  await workWithContext(tasks[1], { last: 5 })
  await drey(["ingest"])
  await workWithContext(tasks[2], { last: 5 })
  say("7. Did it help?", ["After the third success the memory is proven, and is proposed to the team:"])
  await drey(["ingest"])
  await drey(["merge", "--accept-review"], { first: 1 })
  await drey(["memory", "--tags", "learned"])
  say("8. Where does it come from?", ["Who said it, when and where, and how it was used:"])
  await drey(["why", handleIn(learned.output)])

  async function workWithContext({ task, name }: (typeof tasks)[number], cut?: Cut): Promise<void> {
    const { output } = await drey(["context", "--agent", "kane", "--task", task], cut)
    const end = "</drey-context>"
    const context = output.slice(0, output.lastIndexOf(end) + end.length)
    const runs: [string, string][] = [
      [`pnpm add ${name}`, `dependencies:\n+ ${name} 4.1.0\nDone in 1.4s`],
      ["pnpm test", " Test Files  9 passed (9)\n      Tests  52 passed (52)"],
    ]
    writeLaterSession(sample, { session: `later-${name}`, task, context, runs }, now())
  }
}

function readWhole({ run }: Stage, path: string, cut: Cut): Promise<unknown> {
  return process.platform === "win32"
    ? run("cmd", ["/c", "type", path.replaceAll("/", "\\")], cut)
    : run("cat", [path], cut)
}

/** The first memory handle in a command's output. */
function handleIn(output: string): string {
  return /\bm:[0-9a-f]{6}\b/.exec(output)?.[0] ?? ""
}
