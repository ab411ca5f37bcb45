/** The help's headings with their commands. */
const headings: Record<string, readonly string[]> = {
  "Look things up:": ["memory", "search", "context", "why", "log", "stats", "report", "ui"],
  "Write and curate:": ["directive", "merge", "archive", "summarize", "tidy", "undo", "scrub"],
  "Check and convert:": ["validate", "doctor", "convert-memory", "schema", "view", "export", "import"],
  "Learn from work:": [
    "status",
    "ingest",
    "watch",
    "flush",
    "replay",
    "evaluate",
    "forget",
    "pin",
    "policy",
    "pause",
    "resume",
    "reindex",
  ],
  "Work in a session:": ["session"],
  "Share with a team:": ["team"],
  "Set up:": ["demo", "init", "upgrade", "trust", "connect", "disconnect", "completion", "help"],
  "Called by other programs:": ["mcp", "hook", "merge-driver"],
}

/** Every command's heading, in the order of the help. */
export const headingOf: ReadonlyMap<string, string> = new Map(
  Object.entries(headings).flatMap(([heading, names]) => names.map((name) => [name, heading] as const)),
)
