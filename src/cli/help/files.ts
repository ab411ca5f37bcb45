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
  token: ["~/.drey/mcp-token", "the token for clients of the MCP server over HTTP"],
} as const satisfies Record<string, readonly [path: string, what: string]>

export type FileName = keyof typeof files
