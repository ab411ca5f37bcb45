import { querySources, queryTypes } from "../../formats/query.ts"
import { queryStatuses } from "../../formats/query-match.ts"

const width = 76

/** Names and meanings in two columns, wrapped. */
export function listPairs(pairs: readonly (readonly [string, string])[]): string {
  const column = Math.min(28, Math.max(...pairs.map(([name]) => name.length)))
  return pairs.flatMap(([name, meaning]) => listPair(name, meaning, column)).join("\n")
}

function listPair(name: string, meaning: string, column: number): string[] {
  const lines = wrap(meaning, width - column - 4)
  const indent = " ".repeat(column + 4)
  if (name.length > column) return [`  ${name}`, ...lines.map((line) => `${indent}${line}`)]
  return lines.map((line, at) => (at === 0 ? `  ${name.padEnd(column)}  ${line}` : `${indent}${line}`))
}

function wrap(text: string, length: number): string[] {
  const lines: string[] = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && `${last} ${word}`.length <= length) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** The variables that Drey reads. */
export const environment = {
  DREY_HOME: "the folder for the user's data; default: ~/.drey",
  DREY_TEAM_ROOT: "the repository, same as --root; SQUAD_TEAM_ROOT also works",
  DREY_AGENT: "the agent, same as --agent of the session commands; marks commands as run by an agent, not by the user",
  DREY_SESSION: "the session, same as --session of the session commands",
  DREY_USER: "the owner of learned memories; default: the system user name",
  DREY_PAGER: "the pager; default: PAGER, then less. Empty or cat: none",
  DREY_LOG: "log what Drey does, with timings: hook, index, learning, recall, separated by commas, or all",
  DREY_LOG_FILE: "write the log to this file; default: stderr, in hooks ~/.drey/log/drey.log",
  DREY_DEBUG: "set to 1 to show the stack trace of an internal error",
  DREY_COMMAND: "the command with which clients start Drey, for drey connect; default: drey if it is on the PATH",
  DREY_HOOK_MS: "the maximum time a client waits for a hook, in milliseconds",
  DREY_RESIDENT: "off: drey mcp, ui and watch answer no hooks, and hooks ask none of them",
  DREY_MCP_TOKEN: "the token of the MCP server over HTTP; default: generated and stored",
  DREY_MEMORY_LOG_LEVEL: "none, error, info or debug, same as --log-level of the memory commands",
  DREY_WRITER_API_KEY: "the API key of an OpenAI-compatible writer; other providers use their own variable",
  DREY_DATABASE_URL: "the database of a team server, same as --database-url",
  DREY_OIDC_ISSUER: "the identity provider of a team server; also set DREY_OIDC_CLIENT_ID, _CLIENT_SECRET and _NAME",
  DREY_AUDIT_KEY:
    "signs the audit log of a team server, at least 32 characters; previous keys follow, separated by commas",
  DREY_METRICS_TOKEN: "the token for /metrics of a team server",
  NO_COLOR: "any value: no colour",
  FORCE_COLOR: "any value but 0 or false: colour even without a terminal",
} as const satisfies Record<string, string>

export type VariableName = keyof typeof environment

/** The files and folders that Drey uses, by the names that the help notes refer to. */
export const files = {
  decisions: [".squad/decisions.md", "the team's decisions; .ai-team in older repositories"],
  inbox: [".squad/decisions/inbox/", "proposals waiting to be merged, one file each"],
  archive: [".squad/decisions-archive.md", "entries archived from decisions.md; quarterly archives are next to it"],
  histories: [".squad/agents/NAME/history.md", "each agent's history"],
  memory: [".squad/memory/", "governed memory: entries by class, index, audit log, settings"],
  skills: [".squad/skills/NAME/SKILL.md", "skills of the team"],
  sessions: [".squad/sessions/ID/", "working memory of one session; or .rawko/sessions if it exists"],
  undo: ["~/.drey/state/", "undo data and installed files, per checkout"],
  project: [".squad/config.json", "the project's settings, under the key drey"],
  policy: [
    ".squad/memory/memory_policy.toml",
    "the policy for promoting and retiring memories; ~/.drey/memory_policy.toml for all projects",
  ],
  user: ["~/.drey/config.json", "the user's settings; DREY_HOME moves ~/.drey, here and below"],
  trust: ["~/.drey/trust.json", "trusted repositories on this machine, and the rules last seen in each"],
  learned: ["~/.drey/drey.db", "learned memories with their evidence and usage"],
  index: ["~/.drey/index/", "the search index of each checkout; can be deleted, is rebuilt"],
  contexts: ["~/.drey/contexts/", "log of contexts: the items included for each task, without their text"],
  login: ["~/.drey/team.json", "the team server that the user is signed in to"],
  auditKey: ["~/.drey/team-audit-key", "signs the audit log of a team server, if DREY_AUDIT_KEY is not set"],
  auditHeads: ["~/.drey/team-audit-heads.json", "the last verified line of each team's audit log"],
  hooks: ["~/.drey/hook.log", "errors in hooks that were not reported to the client"],
  log: ["~/.drey/log/drey.log", "what hooks did, while DREY_LOG is set"],
  token: ["~/.drey/mcp-token", "the token for clients of the MCP server over HTTP"],
} as const satisfies Record<string, readonly [path: string, what: string]>

export type FileName = keyof typeof files

export type Topic = { title: string; text: () => string }

/** Help that applies to several commands. */
export const topics: Record<string, Topic> = {
  query: { title: "Query language: words and filters", text: query },
  output: { title: "JSON, colour and the pager", text: output },
  "exit-codes": { title: "Exit codes", text: exitCodes },
  files: { title: "Files and folders", text: () => listPairs(Object.values(files)) },
  environment: { title: "Environment variables", text: () => listPairs(Object.entries(environment)) },
}

function query(): string {
  const filters: [string, string][] = [
    ["type:decision", `one of ${queryTypes.join(", ")}`],
    ["author:Kane", "who wrote it or contributed to it"],
    ["tag:api", "repeat for several tags; all must match"],
    ["scope:agent:kane", "team, project, agent:NAME or skill:NAME"],
    ["source:inbox", `one of ${querySources.join(", ")}`],
    ["status:active", `one of ${queryStatuses.join(", ")}`],
    ["related:#18", "names this issue, id, address or path as related"],
    ["file:src/login.ts", "names or touches this file, or a file in this folder"],
    ["session:0f3c81d2", "from this session, by the beginning of its id"],
    ["client:codex", "a conversation with this coding agent"],
    ["after:2026-02-01", "on or after this date or time"],
    ["before:2026-03-01", "before this date or time"],
    ["recent:7d", "within the last 24h, 7d, 2w or 3m"],
    ["id:sem-4f2a90c1d3e5", "the one entry"],
  ]
  const words: [string, string][] = [
    ["token refresh", "both words, in any order"],
    ['"refresh token"', "the exact phrase"],
    ["-legacy", "not this word; -tag:old: not this tag"],
    ['author:"Jane Doe"', "a value with a space"],
  ]
  return [
    "drey memory, drey search, the browser app and the SDK use the same query language.",
    `Words:\n${listPairs(words)}`,
    `Filters:\n${listPairs(filters)}`,
    "The shell removes quotes, so put a query with a phrase in single quotes:\n\n  drey memory 'type:decision \"refresh token\" -tag:old recent:2w'",
    "drey memory lists the entries that contain these words; drey search also searches\nby meaning, best match first, in all of the team's memory.",
  ].join("\n\n")
}

function output(): string {
  return [
    "With --json every command prints exactly one JSON document on stdout. Notices go to stderr.",
    "Colour: only on a terminal by default. In order of precedence: --color and --no-color, NO_COLOR (any value: off), FORCE_COLOR (any value but 0 or false: on, even without a terminal), TERM=dumb (off).",
    "Pager: output longer than the terminal goes through DREY_PAGER, PAGER or less, in that order. If LESS is not set, Drey sets LESS=FRX: less exits if everything fits, keeps colours, and leaves the text on the screen. Never used without a terminal or for JSON. Turn it off with --no-pager or DREY_PAGER=cat.",
    "Tab completion: drey completion --help.",
  ]
    .map((paragraph) => wrapParagraph(paragraph))
    .join("\n\n")
}

function exitCodes(): string {
  return `${listPairs([
    ["0", "done"],
    ["1", "the command ran and the answer is no: invalid, unhealthy, refused, not found. See the help of each command"],
    ["2", "wrong usage, or input that cannot be read"],
    ["3", "a bug in Drey; set DREY_DEBUG=1 to see the stack trace"],
  ])}\n\ndrey hook always exits with 0, so that an error in Drey never blocks the client.`
}

function wrapParagraph(text: string): string {
  return text.replace(/(.{1,78})(?:\s+|$)/g, "$1\n").trimEnd()
}
