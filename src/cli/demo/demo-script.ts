import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { OutputExcerpt, Sample, Stage } from "./demo-stage.ts"

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
  await drey(["list"])
  say("3. Convert everything to one format", ["With a backup and undo. Uncertain entries are left for review:"])
  await drey(["convert-memory"], { first: 7, last: 4 })
  say("4. What other agents learned the hard way", [
    "Claude Code, Codex CLI and Gemini CLI have one transcript each. Drey reads",
    "them in place and learns from them, here without a model:",
  ])
  const learned = await drey(["learn"])
  say("5. With Drey", ["Kane gets the rules and every entry that fits, the most relevant first:"])
  await workWithContext(tasks[0])
  say("6. More work", [
    "The demo plays the agent, which succeeds each time. Drey reads the result,",
    "which happens automatically for connected agents; then two more tasks:",
  ])
  await drey(["learn"])
  await workWithContext(tasks[1], { last: 5 })
  await drey(["learn"])
  await workWithContext(tasks[2], { last: 5 })
  say("7. Did it help?", ["After the third success the memory is proven, and is proposed to the team:"])
  await drey(["learn"])
  await drey(["merge", "--accept-review"], { first: 1 })
  await drey(["list", "--tags", "learned"])
  say("8. Where does it come from?", ["Who said it, when and where, and how it was used:"])
  await drey(["show", handleIn(learned.output)])

  async function workWithContext({ task, name }: (typeof tasks)[number], cut?: OutputExcerpt): Promise<void> {
    const { output } = await drey(["context", "--agent", "kane", "--task", task], cut)
    const end = "</drey-context>"
    const context = output.slice(0, output.lastIndexOf(end) + end.length)
    const runs: [string, string][] = [
      [`pnpm add ${name}`, `dependencies:\n+ ${name} 4.1.0\nDone in 1.4s`],
      ["pnpm test", " Test Files  9 passed (9)\n      Tests  52 passed (52)"],
    ]
    writeFollowUpSession(sample, { session: `later-${name}`, task, context, runs }, now())
  }
}

function readWhole({ run }: Stage, path: string, cut: OutputExcerpt): Promise<unknown> {
  return process.platform === "win32"
    ? run("cmd", ["/c", "type", path.replaceAll("/", "\\")], cut)
    : run("cat", [path], cut)
}

/** The first memory handle in a command's output. */
function handleIn(output: string): string {
  return /\bm:[0-9a-f]{6}\b/.exec(output)?.[0] ?? ""
}

export type FollowUpSession = {
  session: string
  task: string
  /** What Drey handed to the agent for it. */
  context: string
  /** Commands that the agent then ran, with their output. */
  runs: [command: string, output: string][]
}

/** Writes the transcript of a session in which an agent had Drey's context, in the form in which Claude Code leaves it. */
function writeFollowUpSession(
  { root, home }: { root: string; home: string },
  work: FollowUpSession,
  now: number,
): void {
  const { session, task, context, runs } = work
  const folder = root.replace(/[^A-Za-z0-9]/g, "-")
  const path = join(home, ".claude", "projects", folder, `${session}.jsonl`)
  const records = [
    person(task),
    { type: "attachment", attachment: { ...hook, content: [context] } },
    ...runs.flatMap(([command, output], number) => [
      agent({ type: "tool_use", id: `toolu_${number}`, name: "Bash", input: { command } }),
      person([{ type: "tool_result", tool_use_id: `toolu_${number}`, content: output }]),
    ]),
    agent({ type: "text", text: "Done, and the tests pass." }),
    person("thanks, that works"),
    person(
      "<command-name>/exit</command-name>\n<command-message>exit</command-message>\n<command-args></command-args>",
    ),
  ]
  const lines = records.map((record, number) =>
    JSON.stringify({
      parentUuid: number === 0 ? null : `${session}-${number - 1}`,
      isSidechain: false,
      userType: "external",
      cwd: root,
      sessionId: session,
      version: "2.1.81",
      gitBranch: "main",
      uuid: `${session}-${number}`,
      timestamp: new Date(now + number).toISOString(),
      ...record,
    }),
  )
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${lines.join("\n")}\n`)
}

const hook = { type: "hook_additional_context", hookName: "UserPromptSubmit", hookEvent: "UserPromptSubmit" }

function person(content: unknown): object {
  return { type: "user", message: { role: "user", content } }
}

function agent(part: object): object {
  return {
    type: "assistant",
    message: { model: "claude-sonnet-4-6", type: "message", role: "assistant", content: [part] },
  }
}
