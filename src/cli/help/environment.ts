/** The variables that Drey reads. */
export const environment = {
  DREY_HOME: "the folder for the user's data; default: ~/.drey",
  DREY_TEAM_ROOT: "the repository, same as --root; SQUAD_TEAM_ROOT also works",
  DREY_AGENT: "the agent, same as --agent of the session commands; marks commands as run by an agent, not by the user",
  DREY_SESSION: "the session, same as --session of the session commands",
  DREY_USER: "the owner of learned memories; default: the system user name",
  DREY_PAGER: "the pager; default: PAGER, then less. Empty or cat: none",
  DREY_DEBUG: "set to 1 to show the stack trace of an internal error",
  DREY_COMMAND: "the command with which clients start Drey, for drey connect; default: drey if it is on the PATH",
  DREY_HOOK_MS: "the maximum time a client waits for a hook, in milliseconds",
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
