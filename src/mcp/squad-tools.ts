import type { Tool } from "./tool.ts"

const key = { type: "string", description: "State key relative to .squad/, for example decisions.md" } as const
const content = { type: "string" } as const

/** Squad's own tools, with its inputs, for agents that were written for it; served with `--profile squad`. */
export const squadTools = {
  squad_decide: {
    name: "squad_decide",
    description: "Write a decision to the team's inbox.",
    inputSchema: {
      type: "object",
      properties: {
        author: { type: "string", description: "Agent name making the decision" },
        summary: { type: "string", description: "Brief summary of the decision" },
        body: { type: "string", description: "Full decision details and rationale" },
        references: { type: "array", items: { type: "string" }, description: "Related agents, PRDs, or issues" },
      },
      required: ["author", "summary", "body"],
    },
  },
  squad_state_read: {
    name: "squad_state_read",
    description: "Read a file of the team folder.",
    inputSchema: { type: "object", properties: { key }, required: ["key"] },
    annotations: { readOnlyHint: true },
  },
  squad_state_write: {
    name: "squad_state_write",
    description: "Write a file of mutable team state: decisions, inbox, histories, logs, sessions, scratch, identity.",
    inputSchema: { type: "object", properties: { key, content }, required: ["key", "content"] },
  },
  squad_state_append: {
    name: "squad_state_append",
    description: "Append to a file of mutable team state.",
    inputSchema: { type: "object", properties: { key, content }, required: ["key", "content"] },
  },
  squad_state_delete: {
    name: "squad_state_delete",
    description: "Delete a file of mutable team state.",
    inputSchema: { type: "object", properties: { key }, required: ["key"] },
    annotations: { destructiveHint: true },
  },
  squad_state_list: {
    name: "squad_state_list",
    description: "List a directory of the team folder.",
    inputSchema: {
      type: "object",
      properties: { dir: { type: "string", description: "Directory relative to .squad/; omit for root" } },
    },
    annotations: { readOnlyHint: true },
  },
  squad_state_health: {
    name: "squad_state_health",
    description: "Report the active storage of team state.",
    inputSchema: { type: "object", properties: {} },
    annotations: { readOnlyHint: true },
  },
  memory_archive: {
    name: "memory_archive",
    description:
      "Move old entries of decisions.md and of long histories to the archives beside them. Use it instead of reading, writing and deleting the files.",
    inputSchema: {
      type: "object",
      properties: { dryRun: { type: "boolean", description: "Only report what would be moved" } },
    },
  },
} as const satisfies Record<string, Tool>

export type SquadToolName = keyof typeof squadTools
