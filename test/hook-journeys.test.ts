import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { expect, test } from "vitest"
import { answered, makeDatabase, said, tool, words } from "../src/clients/opencode/test-opencode.ts"
import { writeTo } from "../src/clients/transcripts/test-reading.ts"
import { runHook } from "../src/hooks/run-hook.ts"
import { gitIn } from "../src/memories/staleness/test-repository.ts"
import { claudeSession } from "./claude-session.ts"
import { codexSession } from "./codex-session.ts"
import { semEntry } from "./legacy-fixtures.ts"
import { makeRepository } from "./run-cli.ts"
import { trustForTest } from "./trust-for-test.ts"

const files = {
  ".squad/decisions.md": [
    semEntry("2026-02-10T09:00:00Z", "directive", "Never use npm install, use pnpm."),
    semEntry("2026-02-11T09:00:00Z", "decision", "Tokens of a login live for ten minutes"),
    semEntry("2026-02-12T09:00:00Z", "decision", "Name the routes in the plural", { fields: ["**path:** `src/api/`"] }),
  ].join("\n"),
  ".squad/agents/kane/history.md": "# Kane\n\n## Learnings\n\n- 2026-02-03: The scheduler drops jobs at midnight\n",
  "src/api/orders.ts": "",
}

/** One session of a client in its own wire format; what it has no hook for is left out, with a comment that says so. */
type Journey = {
  client: string
  start: [string, object]
  prompt: (text: string) => [string, object]
  /** A member of the team starts as a sub-agent: the call that hands it its task, where it comes first, and the start. */
  subagent?: [string, object][]
  call: (command: string) => [string, object]
  edit: (path: string) => [string, object]
  /** Before the conversation is compacted, and the event after it at which the agent is handed where it stands. */
  compaction?: [[string, object], [string, object]]
  /** What the agent reads in an answer. */
  read: (answer: string) => string
}

const claudeOutput = (answer: string) => JSON.parse(answer).hookSpecificOutput?.additionalContext ?? ""
const task = {
  description: "Look into the nightly jobs",
  prompt: "You are Kane. Find out why the nightly jobs are lost.",
}

const journeys: Journey[] = [
  {
    client: "claude-code",
    start: ["SessionStart", { hook_event_name: "SessionStart", source: "startup", model: "claude-opus-4-5" }],
    prompt: (prompt) => ["UserPromptSubmit", { permission_mode: "default", prompt }],
    subagent: [
      ["PreToolUse", { tool_name: "Task", tool_input: { ...task, subagent_type: "general-purpose" } }],
      ["SubagentStart", { agent_id: "afcc5408c4bf51db8", agent_type: "general-purpose" }],
    ],
    call: (command) => ["PreToolUse", { tool_name: "Bash", tool_input: { command } }],
    edit: (path) => ["PreToolUse", { tool_name: "Write", tool_input: { file_path: path, content: "" } }],
    compaction: [
      ["PreCompact", { trigger: "manual", custom_instructions: null }],
      ["SessionStart", { source: "compact" }],
    ],
    read: (answer) => (answer.startsWith("{") ? claudeOutput(answer) : answer),
  },
  {
    client: "codex",
    start: ["SessionStart", { hook_event_name: "SessionStart", source: "startup", model: "gpt-5.5" }],
    prompt: (prompt) => ["UserPromptSubmit", { turn_id: "t1", prompt }],
    subagent: [["SubagentStart", { turn_id: "t1", agent_id: "a1", agent_type: "kane", permission_mode: "default" }]],
    call: (command) => ["PreToolUse", { turn_id: "t1", tool_name: "Bash", tool_input: { command } }],
    edit: (path) => [
      "PreToolUse",
      {
        tool_name: "apply_patch",
        tool_input: { command: `*** Begin Patch\n*** Add File: ${path}\n+a\n*** End Patch\n` },
      },
    ],
    compaction: [
      ["PreCompact", { turn_id: "t1", trigger: "auto" }],
      ["SessionStart", { source: "compact" }],
    ],
    read: claudeOutput,
  },
  {
    client: "gemini-cli",
    start: ["SessionStart", { hook_event_name: "SessionStart", source: "startup" }],
    prompt: (prompt) => ["BeforeAgent", { prompt }],
    call: (command) => ["AfterTool", { tool_name: "run_shell_command", tool_input: { command }, tool_response: {} }],
    edit: (path) => ["AfterTool", { tool_name: "write_file", tool_input: { file_path: path }, tool_response: {} }],
    // It has no hook for sub-agents, and none for a compaction: PreCompress runs before every request.
    read: claudeOutput,
  },
  {
    client: "copilot-cli",
    start: ["sessionStart", { source: "new", initialPrompt: "" }],
    prompt: (prompt) => ["userPromptSubmitted", { prompt }],
    subagent: [["subagentStart", { agentName: "kane", agentDisplayName: "Kane", agentDescription: "Backend" }]],
    call: (command) => ["preToolUse", { toolName: "bash", toolArgs: JSON.stringify({ command }) }],
    edit: (path) => ["preToolUse", { toolName: "create", toolArgs: JSON.stringify({ path, file_text: "" }) }],
    // Its compaction is a test of its own below: the next prompt brings what was handed over before.
    read: (answer) => JSON.parse(answer).additionalContext,
  },
  {
    client: "vscode-copilot",
    start: ["SessionStart", { hookEventName: "SessionStart", source: "new" }],
    prompt: (prompt) => ["UserPromptSubmit", { hookEventName: "UserPromptSubmit", prompt }],
    subagent: [["SubagentStart", { hookEventName: "SubagentStart", agent_id: "s1", agent_type: "kane" }]],
    call: (command) => ["PreToolUse", { tool_name: "run_in_terminal", tool_input: { command } }],
    edit: (path) => ["PreToolUse", { tool_name: "create_file", tool_input: { filePath: path, content: "" } }],
    // It starts no session after a compaction, and takes nothing at a prompt: the next call is the first chance.
    compaction: [
      ["PreCompact", { hookEventName: "PreCompact", trigger: "auto" }],
      ["PreToolUse", { tool_name: "run_in_terminal", tool_input: { command: "pnpm test" } }],
    ],
    read: claudeOutput,
  },
  {
    client: "cursor",
    start: ["sessionStart", {}],
    prompt: (prompt) => ["beforeSubmitPrompt", { prompt }],
    call: (command) => ["preToolUse", { tool_name: "Shell", tool_input: { command } }],
    edit: (path) => ["preToolUse", { tool_name: "Write", tool_input: { file_path: path } }],
    // It has no hook for the start of a sub-agent. After a compaction the next call is the first chance, as in VS Code.
    compaction: [
      ["preCompact", { hook_event_name: "preCompact", trigger: "auto" }],
      ["preToolUse", { tool_name: "Shell", tool_input: { command: "pnpm test" } }],
    ],
    read: (answer) => JSON.parse(answer).additional_context ?? JSON.parse(answer).agent_message,
  },
  {
    client: "cline",
    start: ["TaskStart", { taskStart: { task: "x" } }],
    prompt: (prompt) => ["UserPromptSubmit", { userPromptSubmit: { prompt } }],
    call: (command) => ["PreToolUse", { preToolUse: { toolName: "execute_command", parameters: { command } } }],
    edit: (path) => ["PreToolUse", { preToolUse: { toolName: "write_to_file", parameters: { path, content: "" } } }],
    // Drey knows no hook of it for sub-agents or compactions.
    read: (answer) => JSON.parse(answer).contextModification,
  },
  {
    client: "opencode",
    start: ["session-start", { source: "clear" }],
    prompt: (prompt) => ["prompt", { prompt }],
    // A sub-agent has a session of its own.
    subagent: [["session-start", { session: "child", agent: "kane", source: "clear" }]],
    call: (command) => ["before-tool", { tool: "bash", args: { command } }],
    edit: (path) => ["before-tool", { tool: "write", args: { filePath: path, content: "" } }],
    compaction: [
      ["before-compaction", {}],
      ["session-start", { source: "compact" }],
    ],
    read: (answer) => JSON.parse(answer).text,
  },
]

test.each(journeys.map((journey) => [journey.client, journey] as const))(
  "%s: a session from its start to a compaction, in the client's own wire format",
  async (client, { start, prompt, subagent, call, edit, compaction, read }) => {
    const { ask, root } = makePlace(client)
    const started = read(await ask(...start))
    expect(started).toContain("## Rules of this repository (binding)")
    expect(started).toContain("Tokens of a login live for ten minutes")
    expect(started).not.toMatch(/midnight|in the plural/)
    expect(await ask(...prompt("How long do the tokens of a login live?"))).toBe("")
    expect(read(await ask(...call("npm install left-pad")))).toContain("Never use npm install")
    expect(await ask(...call("pnpm test"))).toBe("")
    expect(read(await ask(...edit(join(root, "src/api/orders.ts"))))).toContain("Name the routes in the plural")
    expect(await ask(...edit(join(root, "src/api/orders.ts")))).toBe("")
    for (const event of subagent?.slice(0, -1) ?? []) expect(await ask(...event)).toBe("")
    const last = subagent?.at(-1)
    if (last) {
      const handed = read(await ask(...last))
      expect(handed).toContain("The scheduler drops jobs at midnight")
      expect(handed).toContain("Never use npm install")
    }
    if (!compaction) return
    const [before, after] = compaction
    const summarised = await ask(...before)
    if (summarised !== "") expect(read(summarised)).toMatch(/Repair the invoice totals[\s\S]*make totals/) // few clients take it
    const resumed = read(await ask(...after))
    expect(resumed).toMatch(/Repair the invoice totals[\s\S]*make totals/)
    expect(resumed).toContain("Tokens of a login live for ten minutes")
    expect(await ask(...prompt("How long do the tokens of a login live?"))).toBe("")
    expect(await ask(...call("pnpm test"))).toBe("")
  },
)

test("a client that starts no session after a compaction gets the hand-over with the next prompt", async () => {
  const { ask } = makePlace("copilot-cli")
  await ask("sessionStart", { source: "new" })
  expect(await ask("userPromptSubmitted", { prompt: "How long do the tokens live?" })).toBe("")
  expect(await ask("preCompact", { trigger: "auto" })).toBe("")
  const answer = JSON.parse(await ask("userPromptSubmitted", { prompt: "And now the next total" })).additionalContext
  expect(answer).toContain("Tokens of a login live for ten minutes")
  expect(await ask("userPromptSubmitted", { prompt: "How long do the tokens live?" })).toBe("")
})

/** Two minutes ago, so that it is the last session, and still looks as if it were running. */
const justNow = () => new Date(Date.now() - 120_000).toISOString()

test("work that ran out in Claude Code is carried on in Codex, in at most 400 tokens", async () => {
  const { ask, root, home } = makePlace("codex")
  const git = gitIn(root)
  git("init", "-q")
  git("add", "-A")
  git("commit", "-qm", "Start")
  const claude = claudeSession(home, { cwd: root, session: "aaaaaaaa-0000-4000-8000-000000000001", start: justNow() })
  claude.user("Repair the invoice totals")
  claude.run("make totals", "Error: cents are lost in totals.ts:12", 2)
  claude.edit("src/totals.ts")
  claude.user("No, keep the cents as integers instead of floats.")
  for (let at = 0; at < 30; at++)
    claude.run(`make part-${at}`, `Error: part ${at} ${"is not found anywhere ".repeat(20)}`, 2)
  writeFileSync(join(root, "src/totals.ts"), "// half done\n")

  const read = async (source: string) => claudeOutput(await ask("SessionStart", { source }))
  const started = await read("startup")
  expect(started).toMatch(
    /## Left unfinished by another session \(Claude Code, .* UTC\)\n> Current task: Repair the invoice totals/,
  )
  expect(started).toMatch(/Failed and not solved yet:[\s\S]*make part-29/)
  expect(started).toContain("keep the cents as integers")
  expect(started).toMatch(/> Files: .*src\/totals\.ts/)
  expect(started).toContain("Never use npm install")
  const [handed = ""] = /<drey-context>\n## Left unfinished[\s\S]*?<\/drey-context>/.exec(started) ?? []
  expect(countTokens(handed)).toBeLessThanOrEqual(400)
  expect(countTokens(handed)).toBeGreaterThan(100)
  expect(await read("clear")).not.toContain("Left unfinished") // the user wants to begin something else

  // The conversation of Codex, resumed: where it stands itself, and what happened elsewhere since.
  const resumed = await read("resume")
  expect(resumed).toMatch(/## Where this conversation stands\n> Current task: Repair the invoice totals/)
  expect(resumed).toContain("## Left unfinished by another session")
})

test("a session that left nothing unfinished is not handed to the next one, nor is the current session itself", async () => {
  const { ask, root, home } = makePlace("claude-code")
  const session = "11111111-2222-4333-8444-555555555555"
  const done = claudeSession(home, { cwd: root, session: "done", start: justNow() })
  done.user("Show the sum of all rows in the invoice table")
  done.run("npm test", "Tests: 3 passed")
  claudeSession(home, { cwd: root, session, start: justNow() }).run("make totals", "Error: no", 2)
  expect(await ask("SessionStart", { source: "startup" })).not.toContain("Left unfinished")
})

test("a sub-agent is handed what its sibling tried in vain and found out, before the turn ends, so that it does not repeat it", async () => {
  const { ask, root, home } = makePlace("claude-code")
  const session = "11111111-2222-4333-8444-555555555555"
  const place = { cwd: root, session, start: justNow() }
  const parent = claudeSession(home, place)
  parent.user("Make the nightly export work")
  const sibling = claudeSession(home, { ...place, agent: "a1b2c3d4e5f6" })
  sibling.user("Export the ledger as PDF.")
  sibling.assistant("I'll print the HTML with headless Chromium.")
  sibling.edit("src/export.ts")
  sibling.run("npm run export", "Error: Could not find Chromium (ver. 126)", 1)
  sibling.assistant("The export fails because the image has no Chromium and `Dockerfile` may not download one.")
  sibling.assistant("I could not finish; another agent should continue.")
  const prompt = "Export the ledger as PDF."
  await ask("PreToolUse", {
    tool_name: "Task",
    tool_input: { description: "Export", prompt, subagent_type: "Explore" },
  })
  const handed = claudeOutput(
    await ask("SubagentStart", { agent_id: "b1", agent_type: "Explore", transcript_path: parent.path }),
  )
  expect(handed).toMatch(
    /## Other agents in this conversation\n> Failed and not solved yet:[\s\S]*?\n> - sub-agent a1b2c3d4: Print the HTML with headless Chromium \(src\/export\.ts\) \(npm run export\): Error: Could not find Chromium/,
  )
  expect(handed).toMatch(/> Found out: sub-agent a1b2c3d4: The export fails because the image has no Chromium/)
  const [notes = ""] = /<drey-context>\n## Other agents[\s\S]*?<\/drey-context>/.exec(handed) ?? []
  expect(countTokens(notes)).toBeLessThanOrEqual(400)
})

test("in Codex, a sub-agent learns of its sibling from the rollout that names their parent", async () => {
  const { ask, root, home } = makePlace("codex")
  const session = "11111111-2222-4333-8444-555555555555"
  const place = { cwd: root, start: justNow(), generation: "items" } as const
  codexSession(home, { ...place, session }).user("Make the nightly export work")
  const sibling = codexSession(home, { ...place, session: "019f0000-0000-7000-8000-0000000000aa", parent: session })
  sibling.edit("src/export.ts")
  sibling.run("npm run export-check", "Error: Could not find Chromium (ver. 126)", 1)
  const handed = claudeOutput(await ask("SubagentStart", { turn_id: "t1", agent_id: "b1", agent_type: "worker" }))
  expect(handed).toMatch(
    /## Other agents in this conversation\n> Failed and not solved yet:[\s\S]*?\n> - sub-agent 019f0000: .*src\/export\.ts.*Chromium/,
  )
})

test("a conversation begun in Claude Code and resumed in Codex: its failed attempts and discoveries come along", async () => {
  const { ask, root, home } = makePlace("codex")
  const claude = claudeSession(home, { cwd: root, session: "aaaaaaaa-0000-4000-8000-000000000001", start: justNow() })
  claude.user("Repair the invoice totals")
  claude.assistant("Let me round the cents after the sum.")
  claude.edit("src/totals.ts")
  claude.run("npm test", "not ok 1 - totals\n# fail 1", 1)
  claude.assistant("The totals are wrong because `sum` in src/totals.ts adds floats.")
  const started = claudeOutput(await ask("SessionStart", { source: "startup" }))
  expect(started).toMatch(
    /> Failed and not solved yet: Round the cents after the sum \(src\/totals\.ts\) \(npm test\): not ok 1/,
  )
  expect(started).toContain("> Found out: The totals are wrong because `sum` in src/totals.ts adds floats.")
  writeFileSync(join(home, "config.json"), JSON.stringify({ sessions: { auto: false } }))
  expect(claudeOutput(await ask("SessionStart", { source: "startup", session_id: "other" }))).not.toContain("Found out")
})

test("a sub-agent that is not a member of the team gets the rules and what its task needs", async () => {
  const { ask } = makePlace("claude-code")
  const prompt = "Find out how long the tokens of a login live."
  await ask("PreToolUse", { tool_name: "Agent", tool_input: { description: "Look", prompt, subagent_type: "Explore" } })
  const answer = await ask("SubagentStart", { agent_id: "a7", agent_type: "Explore" })
  expect(claudeOutput(answer)).toContain("ten minutes")
  expect(claudeOutput(answer)).not.toContain("midnight")
})

test("two sub-agents that start side by side get what each of their tasks needs, and a secret is not kept", async () => {
  const { ask, home } = makePlace("claude-code")
  const secret = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`
  const delegate = (name: string) =>
    ask("PreToolUse", {
      tool_name: "Task",
      tool_input: { description: name, prompt: `You are ${name}. Use ${secret}.`, subagent_type: "general-purpose" },
    })
  await delegate("Kane")
  await delegate("Dallas")
  const started = async (id: string) =>
    claudeOutput(await ask("SubagentStart", { agent_id: id, agent_type: "general-purpose" }))
  expect(await started("a1")).toContain("midnight")
  expect(await started("a2")).not.toContain("midnight")
  const kept = readdirSync(home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  expect(kept.length).toBeGreaterThan(3)
  for (const { parentPath, name } of kept) expect(readFileSync(join(parentPath, name)).includes(secret)).toBe(false)
})

test.each([
  ["off", "", ""],
  ["session", "Tokens of a login", ""],
  ["prompt", "Tokens of a login", "Tokens of a login"],
])("recall.inject = %s", async (inject, atStart, atPrompt) => {
  const { ask, home } = makePlace("claude-code")
  writeFileSync(join(home, "config.json"), JSON.stringify({ recall: { inject } }))
  expect(await ask("SessionStart", { source: "startup" })).toContain(atStart)
  const other = await ask("UserPromptSubmit", { session_id: "two", prompt: "How long do the tokens of a login live?" })
  expect(other).toContain(atPrompt)
  if (atPrompt === "") expect(other).toBe("")
  expect(await ask("PreToolUse", { tool_name: "Bash", tool_input: { command: "npm install x" } })).toContain("pnpm")
})

test("a project can lower what is injected, and not raise it", async () => {
  const { ask, root, home } = makePlace("claude-code")
  const setProject = (recall: object) =>
    writeFileSync(join(root, ".squad/config.json"), JSON.stringify({ drey: { recall } }))
  setProject({ inject: "off" })
  expect(await ask("SessionStart", { source: "startup" })).toBe("")
  writeFileSync(join(home, "config.json"), JSON.stringify({ recall: { inject: "off" } }))
  setProject({ inject: "prompt", sessionBudget: 90_000 })
  expect(await ask("SessionStart", { session_id: "two", source: "startup" })).toBe("")
})

test("with recall.show the user sees one line about what was handed over, which the agent does not read", async () => {
  const { ask, home } = makePlace("claude-code")
  writeFileSync(join(home, "config.json"), JSON.stringify({ recall: { show: true } }))
  const answer = JSON.parse(await ask("SessionStart", { source: "startup" }))
  expect(answer.systemMessage).toMatch(/^Drey · handed over 2 items, [\d,]+ tokens$/)
  expect(answer.hookSpecificOutput.additionalContext).not.toContain("handed over")
})

test.each([
  ["an empty team folder", { ".squad/decisions.md": "" }, "Add an endpoint"],
  ["a task of 100 KB", files, "Add an endpoint. ".repeat(6000)],
  [
    "an entry of 50 KB",
    {
      ".squad/decisions.md": semEntry("2026-02-10T09:00:00Z", "decision", "Endless", {
        details: "word ".repeat(10_000),
      }),
    },
    "Add an endpoint",
  ],
])("%s is no failure", async (_, given, prompt) => {
  const { ask } = makePlace("claude-code", given)
  const events: [string, object][] = [
    ["SessionStart", { source: "startup" }],
    ["UserPromptSubmit", { prompt }],
    ["SubagentStart", { agent_id: "x", agent_type: "nobody-we-know" }],
    ["PreCompact", { transcript_path: "/gone.jsonl" }],
  ]
  for (const event of events) {
    const answer = await ask(...event)
    expect(answer.length).toBeLessThan(11_000)
  }
})

function makePlace(client: string, given: Record<string, string> = files) {
  const root = makeRepository(given)
  const home = join(makeRepository({}), "home")
  mkdirSync(home, { recursive: true })
  trustForTest(home, root)
  const session = "11111111-2222-4333-8444-555555555555"
  const transcript = writeTranscript(client, home, root, session)
  const ask = (event: string, input: object) =>
    runHook({
      client,
      event,
      readInput: async () => ({
        session_id: session,
        sessionId: session,
        session,
        cwd: root,
        transcript_path: transcript,
        ...input,
      }),
      environment: { PATH: process.env.PATH, HOME: home, DREY_HOME: home, DREY_USER: "ines", DREY_HOOK_MS: "60000" },
      program: join(home, "nothing.cjs"),
    })
  return { root, home, ask }
}

/** The conversation that is compacted: a task, a correction, a command that still fails. */
function writeTranscript(client: string, home: string, cwd: string, session: string): string | undefined {
  const place = { cwd, session, start: "2026-03-01T09:00:00Z" }
  const [asked, command, output] = ["Repair the invoice totals", "make totals", "Error: cents are lost in totals.ts:12"]
  if (client === "opencode") {
    const state = { status: "completed", input: { command }, output, metadata: { exit: 2 } }
    const turn = [said("msg_1", 0, words(asked)), answered("msg_2", 1, tool("bash", "call_1", state))]
    makeDatabase(home, { [session]: turn }).close()
    return undefined
  }
  if (client === "cursor") {
    const path = join(home, ".cursor", "projects", "p", "agent-transcripts", session, `${session}.jsonl`)
    const result = { type: "tool_result", tool_use_id: "t_1", content: output, is_error: true }
    const lines = [
      { role: "user", message: { content: [{ type: "text", text: `<user_query>\n${asked}\n</user_query>` }] } },
      { role: "assistant", message: { content: [{ type: "tool_use", id: "t_1", name: "Shell", input: { command } }] } },
      { role: "user", message: { content: [result] } },
    ]
    writeTo(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
    return path
  }
  if (client === "vscode-copilot") {
    const toolSpecificData = {
      kind: "terminal",
      commandLine: { original: command },
      terminalCommandOutput: { text: output },
      terminalCommandState: { exitCode: 2 },
    }
    const used = { kind: "toolInvocationSerialized", toolId: "run_in_terminal", toolCallId: "call_1", toolSpecificData }
    const request = { requestId: "r1", timestamp: Date.parse(place.start), message: { text: asked }, response: [used] }
    const path = join(home, ".config/Code/User/workspaceStorage/0a1b/chatSessions", `${session}.json`)
    writeTo(path, { requesterUsername: "ada", sessionId: session, requests: [{ ...request, result: {} }] })
    return undefined
  }
  if (client !== "claude-code" && client !== "codex") return undefined
  const it = client === "codex" ? codexSession(home, { ...place, generation: "items" }) : claudeSession(home, place)
  it.user(asked)
  it.run(command, output, 2)
  return it.path
}
