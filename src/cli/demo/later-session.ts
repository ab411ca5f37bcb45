import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

export type LaterWork = {
  session: string
  task: string
  /** What Drey handed to the agent for it. */
  context: string
  /** Commands that the agent then ran, with what they printed. */
  runs: [command: string, output: string][]
}

/** Writes the transcript of a session in which an agent had Drey's context, in the form in which Claude Code leaves it. */
export function writeLaterSession({ root, home }: { root: string; home: string }, work: LaterWork, now: number): void {
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
