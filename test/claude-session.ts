import { appendFileSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"

/** For tests: a session of Claude Code that grows record by record, as the client writes it. */
export type ClaudeSession = {
  path: string
  user(text: string): void
  assistant(text: string): void
  /** A command and its result. */
  run(command: string, output: string, exitCode?: number): void
  edit(file: string): void
  /** Any other tool: its call and its result. */
  use(tool: string, input: object, output: string, failed?: boolean): void
  /** Text that a hook put before the model, as the client records it. */
  hook(text: string): void
  /** A record of any other kind; `uuid` and `timestamp` are added, what it has itself stays. */
  record(record: object): void
  /** Lets time pass before the next record. */
  wait(minutes: number): void
}

/**
 * The first record is from `start`; each of the next is ten seconds later, or as `everyMs` says. With `agent`, the file of
 * a sub-agent that the session started.
 */
export function claudeSession(
  home: string,
  { cwd, session, start, everyMs = 10_000, agent }: SessionOptions,
): ClaudeSession {
  const name = agent === undefined ? session : join(session, "subagents", `agent-${agent}`)
  const path = join(home, ".claude", "projects", cwd.replace(/[^A-Za-z0-9]/g, "-"), `${name}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  let records = 0
  let time = Date.parse(start)
  let parent: string | null = null
  const write = (record: object) => {
    const uuid: string = `${agent ?? session}-${String(++records).padStart(4, "0")}`
    const timestamp = new Date(time).toISOString()
    time += everyMs
    const common = {
      parentUuid: parent,
      isSidechain: agent !== undefined,
      ...(agent === undefined ? {} : { agentId: agent }),
      userType: "external",
      cwd,
      sessionId: session,
      version: "2.1.81",
    }
    appendFileSync(path, `${JSON.stringify({ ...common, gitBranch: "main", uuid, timestamp, ...record })}\n`)
    parent = uuid
  }
  const assistant = (content: object[]) =>
    write({
      type: "assistant",
      message: { model: "claude-sonnet-4-6", id: `msg_${records}`, type: "message", role: "assistant", content },
    })
  const call = (name: string, input: object, content: string, failed: boolean) => {
    const id = `toolu_${agent ?? session}_${records}`
    assistant([{ type: "tool_use", id, name, input }])
    const result = { type: "tool_result", tool_use_id: id, content, ...(failed ? { is_error: true } : {}) }
    write({ type: "user", message: { role: "user", content: [result] } })
  }
  return {
    path,
    user: (text) => write({ type: "user", message: { role: "user", content: text } }),
    assistant: (text) => assistant([{ type: "text", text }]),
    run: (command, output, exitCode = 0) =>
      call("Bash", { command }, exitCode === 0 ? output : `Exit code ${exitCode}\n${output}`, exitCode !== 0),
    edit: (file) =>
      call(
        "Edit",
        { file_path: join(cwd, file), old_string: "a", new_string: "b" },
        `The file ${file} has been updated.`,
        false,
      ),
    use: (tool, input, output, failed = false) => call(tool, input, output, failed),
    hook: (text) =>
      write({
        type: "attachment",
        attachment: {
          type: "hook_additional_context",
          content: [text],
          hookName: "UserPromptSubmit",
          toolUseID: `hook-${session}-${records}`,
          hookEvent: "UserPromptSubmit",
        },
      }),
    record: write,
    wait(minutes) {
      time += minutes * 60_000
    },
  }
}

type SessionOptions = { cwd: string; session: string; start: string; everyMs?: number; agent?: string }
