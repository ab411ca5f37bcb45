/** The variables that Drey reads. */
export const environment = {
  DREY_HOME: "the folder of what belongs to the user; default: ~/.drey",
  DREY_TEAM_ROOT: "the repository, as --root; SQUAD_TEAM_ROOT is read too",
  DREY_AGENT: "the agent, as --agent of the session commands; what runs with it acts for an agent, not for a person",
  DREY_SESSION: "the session, as --session of the session commands",
  DREY_USER: "whose memories are learned; default: the name at the machine",
  DREY_PAGER: "the pager; default: PAGER, then less. Empty or cat: none",
  DREY_DEBUG: "1 shows the trace of an internal error",
  DREY_COMMAND: "how clients start Drey, for drey connect; default: drey where the PATH leads to it",
  DREY_HOOK_MS: "how long a client waits for a hook at most, in milliseconds",
  DREY_MCP_TOKEN: "the token of the MCP server over HTTP; default: one that is made and kept",
  DREY_MEMORY_LOG_LEVEL: "none, error, info or debug, as --log-level of the memory commands",
  DREY_WRITER_API_KEY: "the key of an OpenAI-compatible writer; others have their provider's own variable",
  DREY_DATABASE_URL: "the database of a team server, as --database-url",
  DREY_OIDC_ISSUER:
    "the identity provider of a team server; DREY_OIDC_CLIENT_ID, _CLIENT_SECRET and _NAME belong to it",
  DREY_AUDIT_KEY: "seals the audit of a team server, at least 32 characters; further ones, of before, behind commas",
  DREY_METRICS_TOKEN: "what /metrics of a team server asks for",
  NO_COLOR: "anything: no colour",
  FORCE_COLOR: "anything but 0 or false: colour also where there is no terminal",
} as const satisfies Record<string, string>

export type VariableName = keyof typeof environment
