/** Where Drey keeps what, by a name that notes refer to. */
export const files = {
  decisions: [".squad/decisions.md", "what the team has decided; .ai-team in older repositories"],
  inbox: [".squad/decisions/inbox/", "proposals that wait for the merge, one file each"],
  archive: [".squad/decisions-archive.md", "what was moved out of decisions.md, and archives by quarter beside it"],
  histories: [".squad/agents/NAME/history.md", "what each agent has learned"],
  memory: [".squad/memory/", "governed memory: entries by class, index, audit, settings"],
  skills: [".squad/skills/NAME/SKILL.md", "skills of the team"],
  sessions: [".squad/sessions/ID/", "working memory of one session; .rawko/sessions where that is there"],
  undo: ["~/.drey/state/", "what undo needs and what was installed, for each checkout"],
  project: [".squad/config.json", "the project's settings, under the key drey"],
  policy: [
    ".squad/memory/memory_policy.toml",
    "how learned memory is judged here; ~/.drey/memory_policy.toml for all projects",
  ],
  user: ["~/.drey/config.json", "the user's settings; DREY_HOME moves ~/.drey, here and below"],
  trust: ["~/.drey/trust.json", "which repositories are trusted on this machine, and the rules last seen in each"],
  learned: ["~/.drey/drey.db", "what was learned, with its evidence and its use"],
  index: ["~/.drey/index/", "the search index of each checkout; can be deleted, is built anew"],
  contexts: ["~/.drey/contexts/", "which items were handed out for which task, without their text"],
  login: ["~/.drey/team.json", "which team server the user is signed in to"],
  auditKey: ["~/.drey/team-audit-key", "seals the audit of a team server, where DREY_AUDIT_KEY is not set"],
  auditHeads: ["~/.drey/team-audit-heads.json", "the last line of each team's audit that was verified"],
  hooks: ["~/.drey/hook.log", "trouble that a hook met and did not tell the client"],
  token: ["~/.drey/mcp-token", "what clients of the MCP server show over HTTP"],
} as const satisfies Record<string, readonly [path: string, what: string]>

export type FileName = keyof typeof files
