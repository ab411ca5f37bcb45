import { environment, type VariableName } from "./environment.ts"
import { type FileName, files } from "./files.ts"
import { listPairs } from "./list-pairs.ts"

/** What the help of a command says below its examples. `no` is what exit code 1 means, for commands that can answer no. */
type Notes = { no?: string; files?: readonly FileName[]; environment?: readonly VariableName[] }

/** Exit codes, files and environment of a command, as they stand in its help. */
export function notesOf(path: string): string {
  const { no, files: read = [], environment: heard = [] } = notes[path] ?? {}
  const codes: [string, string][] = [
    ["0", path === "hook" ? "always, so that no client is ever stopped" : "done"],
    ...(no === undefined ? [] : [["1", no] as [string, string]]),
    ...(path === "hook" ? [] : [["2", "wrong usage, or input that cannot be read"] as [string, string]]),
  ]
  const sections: [string, [string, string][]][] = [
    ["Exit codes:", codes],
    ["Files:", read.map((name) => [...files[name]])],
    ["Environment:", heard.map((name) => [name, environment[name]])],
  ]
  return sections
    .filter(([, pairs]) => pairs.length > 0)
    .map(([title, pairs]) => `${title}\n${listPairs(pairs)}`)
    .join("\n\n")
}

export function isNoted(path: string): boolean {
  return Object.hasOwn(notes, path)
}

const trouble = "a file cannot be read or has a merge conflict; the rest is shown"
const noSuchMemory = "there is no such memory"
const noSession = "there is no such session"
const team = ["decisions", "inbox", "archive", "histories"] as const
const everything = [...team, "memory", "skills", "learned", "index"] as const
const learning = {
  files: ["learned", "policy", "user"],
  environment: ["DREY_USER", "DREY_WRITER_API_KEY", "DREY_HOME"],
} as const satisfies Notes
const session = {
  no: noSession,
  files: ["sessions"],
  environment: ["DREY_SESSION", "DREY_AGENT"],
} as const satisfies Notes
const governed = { files: ["memory"], environment: ["DREY_MEMORY_LOG_LEVEL"] } as const satisfies Notes

const notes: Record<string, Notes> = {
  memory: { no: trouble, files: team },
  "memory classify": { ...governed, no: "the gate would refuse it" },
  "memory write": { ...governed, no: "the gate refused it; nothing was stored" },
  "memory search": governed,
  "memory list": governed,
  "memory read": { ...governed, no: noSuchMemory },
  "memory promote": { ...governed, no: "there is no such memory, or the gate refused it" },
  "memory delete": { ...governed, no: noSuchMemory },
  "memory audit": { ...governed, no: "with --verify: the record was changed" },
  "memory provider": governed,
  "memory reindex": governed,
  search: { no: `nothing was found, or ${trouble}`, files: everything },
  context: { no: trouble, files: [...everything, "contexts"] },
  why: { no: "there is no such item, or no context on record for the task", files: ["contexts", "learned", "index"] },
  "session start": { files: ["sessions"], environment: ["DREY_AGENT"] },
  "session discover": session,
  "session attempt start": session,
  "session attempt update": session,
  "session attempt finish": session,
  "session decide": session,
  "session context": session,
  "session plan": session,
  "session say": session,
  "session prompt": session,
  "session arbiter": session,
  "session show": session,
  "session list": { no: "a session cannot be read", files: ["sessions"] },
  "session validate": { no: "a file is not as it should be", files: ["sessions"] },
  "session archive": session,
  "session end": session,
  "session graduate": { ...session, no: "there is no such session, or the gate refused something" },
  "session export": session,
  "session cleanup": { files: ["sessions"] },
  log: { no: `nothing is on record for that time, or ${trouble}`, files: [...team, "sessions", "learned"] },
  status: learning,
  ingest: learning,
  watch: { ...learning, no: "with --status: it does not run" },
  flush: learning,
  replay: learning,
  evaluate: { files: ["learned", "policy", "inbox"] },
  forget: { no: "there is no such memory, or nobody agreed", files: ["learned"] },
  pin: { no: noSuchMemory, files: ["learned"] },
  policy: { files: ["policy"] },
  "policy show": { files: ["policy"] },
  "policy reload": { files: ["policy"] },
  pause: { files: ["learned"] },
  resume: { files: ["learned"] },
  reindex: { no: trouble, files: ["index"] },
  ui: { no: "the port that was asked for is in use", files: everything },
  mcp: { files: [...everything, "token"], environment: ["DREY_MCP_TOKEN", "DREY_AGENT"] },
  validate: { no: "something is an error; with --strict, or a warning", files: team },
  "convert-memory": { no: "something needs review or could not be converted", files: [...team, "undo"] },
  schema: {},
  "view squadui": { no: "a file cannot be read; nothing was written", files: ["decisions", "inbox"] },
  export: { no: "there is nothing to export", files: [...team, "memory", "skills"] },
  import: { no: "the gate refused something; the rest came in", files: ["inbox", "undo"] },
  merge: { no: "something is left to a person", files: ["inbox", "decisions", "undo"] },
  directive: { no: "the gate refused it, or it states no rule", files: ["decisions", "undo"] },
  archive: { no: "something is left to a person", files: ["decisions", "archive", "undo"] },
  summarize: { no: "something is left to a person", files: ["histories", "undo", "project"] },
  tidy: { no: "something is left to a person", files: [...team, "undo", "project"] },
  undo: { no: "there is nothing to undo", files: ["undo"] },
  "merge-driver": { no: "the file could not be merged; git leaves it to a person" },
  hook: { files: ["hooks", "learned"], environment: ["DREY_HOOK_MS"] },
  init: { files: [...team, "memory", "skills", "undo"] },
  upgrade: { files: ["skills", "memory", "undo"] },
  trust: { files: ["trust"], environment: ["DREY_HOME"] },
  connect: { no: "nothing was written, or a file was left as it is", environment: ["DREY_COMMAND"] },
  disconnect: { no: "a file was left as it is" },
  doctor: { no: "a check fails", files: [...everything, "sessions"] },
  stats: { files: team },
  scrub: { files: [...team, "memory", "undo"] },
  demo: { no: "somebody ended it before its end" },
  "team login": { no: "the server refused, or does not answer", files: ["login"] },
  "team status": { no: "nobody is signed in, or the server does not answer", files: ["login"] },
  "team share": { no: "there is no such memory, or the gate or the server refused one", files: ["learned", "login"] },
  "team unshare": { no: "there is no such memory, or the server refused", files: ["learned", "login"] },
  "team episodes": { no: "nobody is signed in, or nobody agreed", files: ["learned", "login"] },
  "team sync": { no: "the server does not answer, or refused something", files: ["learned", "login"] },
  "team leave": { no: "nobody agreed, or the server does not answer", files: ["learned", "login"] },
  "team serve": { no: "the database or the address cannot be used" },
  "team migrate": { no: "the database cannot be used", environment: ["DREY_DATABASE_URL"] },
  "team verify-audit": {
    no: "the record was changed, or the database holds no team",
    environment: ["DREY_DATABASE_URL"],
  },
  "team org create": {
    no: "there is one of this name, or the database has no tables yet",
    environment: ["DREY_DATABASE_URL"],
  },
  "team invite-owner": { no: "there is no such organisation", environment: ["DREY_DATABASE_URL"] },
  report: { no: "nothing is on record", files: [...team, "learned"] },
  completion: {},
  help: { no: "there is no such topic or command" },
}
