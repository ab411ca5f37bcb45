import { environment, type FileName, files, listPairs, type VariableName } from "./topics.ts"

/** Printed below a command's examples. `no` is the meaning of exit code 1, if the command uses it. */
type Notes = { no?: string; files?: readonly FileName[]; environment?: readonly VariableName[] }

/** Exit codes, files and environment of a command, formatted for its help. */
export function notesOf(path: string): string {
  const { no, files: read = [], environment: heard = [] } = notes[path] ?? {}
  const codes: [string, string][] = [
    ["0", path === "hook" ? "always, so that a hook never blocks the client" : "done"],
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

const trouble = "a file cannot be read or has a merge conflict; everything else is shown"
const noSuchMemory = "the memory does not exist"
const noSession = "the session does not exist"
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
  "memory classify": { ...governed, no: "governance would refuse it" },
  "memory write": { ...governed, no: "governance refused it; nothing was stored" },
  "memory search": governed,
  "memory list": governed,
  "memory read": { ...governed, no: noSuchMemory },
  "memory promote": { ...governed, no: "the memory does not exist, or governance refused it" },
  "memory delete": { ...governed, no: noSuchMemory },
  "memory audit": { ...governed, no: "with --verify: the audit log was changed" },
  "memory provider": governed,
  "memory reindex": governed,
  search: { no: `nothing was found, or ${trouble}`, files: everything },
  context: { no: trouble, files: [...everything, "contexts"] },
  inbox: { files: ["inbox"] },
  show: {
    no: "the item does not exist, or no context is recorded for the task",
    files: ["contexts", "learned", "index"],
  },
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
  "session validate": { no: "a file has errors", files: ["sessions"] },
  "session archive": session,
  "session end": session,
  "session graduate": { ...session, no: "the session does not exist, or governance refused something" },
  "session export": session,
  "session cleanup": { files: ["sessions"] },
  log: { no: `nothing is recorded for that time, or ${trouble}`, files: [...team, "sessions", "learned"] },
  status: learning,
  ingest: learning,
  watch: { ...learning, no: "with --status: no watch is running" },
  flush: learning,
  replay: learning,
  evaluate: { files: ["learned", "policy", "inbox"] },
  remember: { no: "it contains a secret; nothing was saved", files: ["decisions", "inbox", "undo"] },
  forget: { no: "nothing was found, or it was not confirmed", files: [...team, "memory", "learned", "undo"] },
  edit: { no: "the item does not exist or cannot be changed", files: [...team, "memory", "learned", "undo"] },
  list: { no: trouble, files: team },
  "inbox list": { files: ["inbox"] },
  "inbox show": { no: "the proposal does not exist", files: ["inbox"] },
  "inbox accept": { no: "a proposal does not exist or was not accepted", files: ["inbox", "decisions", "undo"] },
  "inbox refuse": { no: "a proposal does not exist or was not refused", files: ["inbox", "undo"] },
  "inbox edit": { no: "the proposal does not exist or was not accepted", files: ["inbox", "decisions", "undo"] },
  "inbox merge": { no: "the proposal does not exist or was not merged", files: ["inbox", "decisions", "undo"] },
  learn: learning,
  "learn on": { files: ["learned"] },
  "learn off": { files: ["learned"] },
  "learn review": { files: ["learned"] },
  "learn sync": { files: ["learned"] },
  pin: { no: noSuchMemory, files: ["learned"] },
  policy: { files: ["policy"] },
  "policy show": { files: ["policy"] },
  "policy reload": { files: ["policy"] },
  pause: { files: ["learned"] },
  resume: { files: ["learned"] },
  reindex: { no: trouble, files: ["index"] },
  ui: { no: "the port is in use", files: everything },
  mcp: { files: [...everything, "token"], environment: ["DREY_MCP_TOKEN", "DREY_AGENT"] },
  validate: { no: "there are errors; with --strict, errors or warnings", files: team },
  "convert-memory": { no: "something needs review or could not be converted", files: [...team, "undo"] },
  schema: {},
  "view squadui": { no: "a file cannot be read; nothing was written", files: ["decisions", "inbox"] },
  export: { no: "nothing to export", files: [...team, "memory", "skills"] },
  import: { no: "governance refused something; everything else was imported", files: ["inbox", "undo"] },
  merge: { no: "something needs review", files: ["inbox", "decisions", "undo"] },
  directive: { no: "governance refused it, or it does not state a rule", files: ["decisions", "undo"] },
  archive: { no: "something needs review", files: ["decisions", "archive", "undo"] },
  summarize: { no: "something needs review", files: ["histories", "undo", "project"] },
  tidy: { no: "something needs review", files: [...team, "undo", "project"] },
  undo: { no: "nothing to undo", files: ["undo"] },
  "merge-driver": { no: "the file could not be merged; git reports a conflict" },
  hook: { files: ["hooks", "log", "learned"], environment: ["DREY_HOOK_MS", "DREY_RESIDENT", "DREY_LOG"] },
  init: { files: [...team, "memory", "skills", "undo"] },
  upgrade: { files: ["skills", "memory", "undo"] },
  trust: { files: ["trust"], environment: ["DREY_HOME"] },
  connect: { no: "nothing was written, or a file was left unchanged", environment: ["DREY_COMMAND"] },
  disconnect: { no: "a file was left unchanged" },
  check: { no: "a check fails", files: [...everything, "sessions"] },
  stats: { files: team },
  scrub: { files: [...team, "memory", "undo"] },
  demo: { no: "it was interrupted" },
  "team login": { no: "the server refused or did not answer", files: ["login"] },
  "team status": { no: "not signed in, or the server did not answer", files: ["login"] },
  "team share": { no: "a memory does not exist, or governance or the server refused it", files: ["learned", "login"] },
  "team unshare": { no: "a memory does not exist, or the server refused", files: ["learned", "login"] },
  "team episodes": { no: "not signed in, or not confirmed", files: ["learned", "login"] },
  "team sync": { no: "the server did not answer, or refused something", files: ["learned", "login"] },
  "team leave": { no: "not confirmed, or the server did not answer", files: ["learned", "login"] },
  "team serve": { no: "the database or the address cannot be used" },
  "team migrate": { no: "the database cannot be used", environment: ["DREY_DATABASE_URL"] },
  "team verify-audit": {
    no: "the audit log was changed, or the database has no team",
    environment: ["DREY_DATABASE_URL"],
  },
  "team org create": {
    no: "the organisation exists, or the database has no tables yet",
    environment: ["DREY_DATABASE_URL"],
  },
  "team invite-owner": { no: "the organisation does not exist", environment: ["DREY_DATABASE_URL"] },
  report: { no: "nothing is recorded", files: [...team, "learned"] },
  completion: {},
  help: { no: "the topic or command does not exist" },
}
