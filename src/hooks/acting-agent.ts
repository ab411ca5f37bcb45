import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { dreyHome } from "../config.ts"
import { appendToHome, makeHomeFolder, writeInHome } from "../disk/home-files.ts"
import { DreyError, exitCode } from "../errors.ts"

/**
 * The coding agent that runs the command, if any. Rules need the user: an agent's entries go to the inbox under its name, and user-only
 * commands are refused. Hooks and their background processes act for the user and do not call this.
 */
export function actingAgent(environment: NodeJS.ProcessEnv): string | undefined {
  const own = nameIn(environment.DREY_AGENT) ?? nameIn(environment.AI_AGENT)
  if (own !== undefined) return own
  const known = nameIn(environment.AGENT)?.toLowerCase()
  if (known !== undefined && agentsByAgent.has(known)) return known
  return agentMarkers.find(([, names]) => names.some((name) => nameIn(environment[name]) !== undefined))?.[0]
}

/** In an untrusted repository, a read command run by an agent shows no more than a hook would. */
export function isRunByAgent(): boolean {
  return actingAgent(process.env) !== undefined
}

/** Refuses user-only actions: `what` is, for example, "accept a proposal", `command` what the user would run. */
export function requireUser(environment: NodeJS.ProcessEnv, what: string, command: string): void {
  if (actingAgent(environment) === undefined) return
  throw new DreyError(`Not done: only the user can ${what}. Ask the user to run: ${command}`, { exitCode: exitCode.no })
}

/** Variables that coding agents set for commands they run, without those that an editor sets for every terminal. */
export const agentMarkers: readonly (readonly [agent: string, names: readonly string[]])[] = [
  ["claude-code", ["CLAUDECODE", "CLAUDE_CODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_IS_COWORK"]],
  ["codex", ["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"]],
  ["gemini-cli", ["GEMINI_CLI"]],
  ["copilot-cli", ["COPILOT_AGENT_SESSION_ID", "COPILOT_CLI", "COPILOT_AGENT"]],
  ["cursor", ["CURSOR_AGENT"]],
  ["opencode", ["OPENCODE", "OPENCODE_CLIENT", "OPENCODE_PID"]],
  ["cline", ["CLINE_ACTIVE"]],
  ["roo", ["ROO_ACTIVE"]],
  ["qwen-code", ["QWEN_CODE"]],
  ["goose", ["GOOSE_TERMINAL"]],
  ["amp", ["AMP_CURRENT_THREAD_ID"]],
  ["augment", ["AUGMENT_AGENT"]],
  ["antigravity", ["ANTIGRAVITY_AGENT"]],
  ["trae", ["TRAE_AI_SHELL_ID"]],
  ["pi", ["PI_CODING_AGENT"]],
]

/** `AGENT` is a common variable name, so only these values count. */
const agentsByAgent = new Set([
  "goose",
  "amp",
  "opencode",
  "crush",
  "claude",
  "claude-code",
  "codex",
  "gemini",
  "cursor",
])

function nameIn(value: string | undefined): string | undefined {
  const name = value?.replace(/\s+/g, " ").trim().slice(0, 60)
  return name === undefined || /^(?:|0|false|no|off)$/i.test(name) ? undefined : name
}

/** Long enough for a command that a client starts immediately; a user who types the same command by chance succeeds on the second try. */
const freshMs = 60_000
const mostBytes = 8192

/** The Drey commands in an agent's shell command, by name, without their arguments. */
export function dreyCommandsIn(command: string): string[] {
  if (!/\bdrey\b|cli\.cjs\b/.test(command)) return []
  const runs = command.matchAll(/(?:\bdrey(?:@[\w.-]+)?|\bcli\.cjs)["']?((?:[ \t]+["']?[a-z][a-z-]*["']?){1,3})/g)
  return [...new Set([...runs].map(([, words = ""]) => words.replace(/["']/g, "").trim().split(/\s+/).join(" ")))]
}

/** Records briefly that an agent is about to run these commands: its environment may have no marker. */
export function recordAgentCommands(home: string, agent: string, command: string, now = Date.now()): void {
  const commands = dreyCommandsIn(command)
  if (commands.length === 0) return
  makeHomeFolder(join(home, "hooks"))
  const lines = commands.map((words) => `${now}\t${agent}\t${words}\n`).join("")
  const path = notesPath(home)
  const isLong = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostBytes // old notes have expired
  if (isLong) writeInHome(path, lines)
  else appendToHome(path, lines)
}

/**
 * The agent that was recorded for this command within the last minute. At a terminal the record counts once, since the user may type the
 * same; otherwise it counts until it expires.
 */
export function takeAgentRecord(
  environment: NodeJS.ProcessEnv,
  words: readonly string[],
  { now = Date.now(), isTyped = process.stdin.isTTY === true && process.stdout.isTTY === true } = {},
): string | undefined {
  const path = notesPath(dreyHome(environment))
  const line = words.join(" ")
  const notes = readNotes(path)
  if (notes.length === 0) return undefined
  const fresh = notes.filter(({ at }) => now - at >= 0 && now - at < freshMs)
  const own = fresh.find((note) => isSameCommand(note.words, line))
  const spent = isTyped ? own : undefined
  if (spent !== undefined || fresh.length < notes.length) {
    const kept = fresh
      .filter((note) => note !== spent)
      .map(({ at, agent, words: name }) => `${at}\t${agent}\t${name}\n`)
    forget(path, kept.join(""))
  }
  return own?.agent
}

function forget(path: string, kept: string): void {
  try {
    writeInHome(path, kept)
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (!["EACCES", "EPERM", "EROFS", "ENOSPC"].includes(code)) throw error // it expires on its own
  }
}

/** A note may include a word of the command's argument: `directive always use tabs`. */
function isSameCommand(noted: string, line: string): boolean {
  return `${line} `.startsWith(`${noted} `) || `${noted} `.startsWith(`${line} `)
}

type Note = { at: number; agent: string; words: string }

function readNotes(path: string): Note[] {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    return [] // usually missing; in an unreadable home no hook of this user has recorded anything
  }
  return text.split("\n").flatMap((line) => {
    const [at = "", agent = "", words = ""] = line.split("\t")
    return agent !== "" && words !== "" && Number.isFinite(Number(at)) ? [{ at: Number(at), agent, words }] : []
  })
}

function notesPath(home: string): string {
  return join(home, "hooks", "agent-commands")
}
