import { appendFileSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"

/** For tests: a session of Codex CLI that grows record by record, as the client writes it. */
export type CodexSession = {
  path: string
  user(text: string): void
  assistant(text: string): void
  /** A command and its result. */
  run(command: string, output: string, exitCode?: number): void
  edit(file: string): void
  /** Text that a hook put before the model. */
  hook(text: string): void
  /** Lets time pass before the next record. */
  wait(minutes: number): void
}

export type CodexOptions = {
  cwd: string
  session: string
  start: string
  /** Up to 0.147 messages are in events, since 0.148 in items. */
  generation: "events" | "items"
  /** Of a sub-agent: the session whose agent started it. */
  parent?: string
}

/** The first record is from `start`; each of the next is two seconds later. */
export function codexSession(home: string, { cwd, session, start, generation, parent }: CodexOptions): CodexSession {
  const day = start.slice(0, 10).split("-")
  const name = `rollout-${start.slice(0, 19).replaceAll(":", "-")}-${session}.jsonl`
  const path = join(home, ".codex", "sessions", ...day, name)
  mkdirSync(dirname(path), { recursive: true })
  let time = Date.parse(start)
  let records = 0
  const write = (type: string, payload: object) => {
    const ordinal = generation === "items" ? { ordinal: records } : {}
    records++
    appendFileSync(path, `${JSON.stringify({ timestamp: new Date(time).toISOString(), ...ordinal, type, payload })}\n`)
    time += 2000
  }
  const itemCompleted = (item: object) =>
    write("event_msg", { type: "item_completed", thread_id: session, turn_id: "turn-1", item })
  const message = (role: "user" | "assistant" | "developer", text: string) =>
    write("response_item", {
      type: "message",
      role,
      content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
    })

  write("session_meta", {
    id: session,
    timestamp: start,
    cwd,
    originator: "codex_cli",
    cli_version: generation === "items" ? "0.166.0" : "0.98.0",
    source: parent === undefined ? "cli" : { subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } } },
    ...(parent === undefined ? {} : { thread_source: "subagent" }),
    base_instructions: { text: "You are a coding agent." },
    git: { commit_hash: "19292ac69732599070de4d594e1c229259d557e3", branch: "main" },
    ...(generation === "items" ? { session_id: session, history_mode: "paginated" } : {}),
  })
  message("user", `<environment_context>\n  <cwd>${cwd}</cwd>\n  <shell>bash</shell>\n</environment_context>`)

  return {
    path,
    user(text) {
      message("user", text)
      if (generation === "events") write("event_msg", { type: "user_message", message: text, images: [] })
      else itemCompleted({ type: "UserMessage", id: `item-${session}-${records}`, content: [{ type: "text", text }] })
    },
    assistant(text) {
      if (generation === "events") write("event_msg", { type: "agent_message", message: text })
      else itemCompleted({ type: "AgentMessage", id: `msg-${session}-${records}`, content: [{ type: "Text", text }] })
      message("assistant", text)
    },
    run(command, output, exitCode = 0) {
      const call = `call_${session}_${records}`
      const input = JSON.stringify({ cmd: command })
      write("response_item", { type: "function_call", name: "exec_command", arguments: input, call_id: call })
      if (generation === "items")
        itemCompleted({
          type: "CommandExecution",
          id: call,
          command: ["/bin/bash", "-lc", command],
          cwd: `file://${cwd}`,
          status: exitCode === 0 ? "completed" : "failed",
          exit_code: exitCode,
          aggregated_output: output,
        })
      const told = `Chunk ID: 4c22fd\nWall time: 0.6 seconds\nProcess exited with code ${exitCode}\nOriginal token count: 9\nOutput:\n${output}`
      write("response_item", { type: "function_call_output", call_id: call, output: told })
    },
    edit(file) {
      const call = `call_${session}_${records}`
      const input = `*** Begin Patch\n*** Update File: ${file}\n@@\n-a\n+b\n*** End Patch`
      write("response_item", { type: "custom_tool_call", name: "apply_patch", input, call_id: call })
      if (generation === "items")
        itemCompleted({
          type: "FileChange",
          id: call,
          changes: { [join(cwd, file)]: { type: "update", unified_diff: "@@\n-a\n+b\n" } },
          status: "completed",
        })
      const output = JSON.stringify({
        output: `Success. Updated the following files:\nM ${file}\n`,
        metadata: { exit_code: 0 },
      })
      write("response_item", { type: "custom_tool_call_output", call_id: call, output })
    },
    hook: (text) => message("developer", text),
    wait(minutes) {
      time += minutes * 60_000
    },
  }
}
