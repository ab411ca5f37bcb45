import type { Tool } from "./tool.ts"

const text = { type: "string" } as const
const texts = { type: "array", items: { type: "string" } } as const
const about = <Field extends object>(field: Field, description: string) => ({ ...field, description })
const reading = { readOnlyHint: true } as const
const memoryClass = {
  type: "string",
  enum: ["TRANSIENT", "LOCAL", "DECISION", "POLICY", "COPILOT_MEMORY", "FORBIDDEN"],
} as const
const stored = {
  type: "object",
  properties: { id: text, class: text, path: text },
  required: ["id", "class", "path"],
} as const

/** The tools. They are sent to a model with every session: a word that can be spared is left out. */
export const allTools = {
  get_task_context: {
    name: "get_task_context",
    description:
      "What this team knows that is relevant to a task: rules, decisions, your history, lessons from earlier work. Call it before you begin a task, and again when the task changes.",
    inputSchema: {
      type: "object",
      properties: {
        task: about(text, "The task, in a sentence or two"),
        agent: about(text, "Your name in the team"),
        paths: about(texts, "Relevant files"),
        budget: { type: "integer", minimum: 50, maximum: 100_000, description: "Maximum tokens; default 2000" },
      },
      required: ["task"],
    },
    annotations: reading,
  },
  report_outcome: {
    name: "report_outcome",
    description:
      "Report how a task went and which memories in its context helped or were wrong. Call it when a task is done.",
    inputSchema: {
      type: "object",
      properties: {
        outcome: { type: "string", enum: ["success", "failure", "partial"] },
        task: about(text, "The id in <drey-context task=…>; default: this session's last"),
        helped: about(texts, "Handles such as m:1a2b3c"),
        wrong: texts,
        note: text,
      },
      required: ["outcome"],
    },
  },
  memory_classify: {
    name: "memory_classify",
    description: "Check a text: its class, and whether it may be stored. Stores nothing.",
    inputSchema: {
      type: "object",
      properties: { content: text, class: about(memoryClass, "The requested class") },
      required: ["content"],
    },
  },
  memory_write: {
    name: "memory_write",
    description:
      "Store something for the whole team: a decision, a rule (POLICY), a fact (LOCAL). Secrets and temporary task state are refused.",
    inputSchema: {
      type: "object",
      properties: {
        content: text,
        title: text,
        author: about(text, "The author"),
        class: about(memoryClass, "Default: detected"),
        approved: about({ type: "boolean" }, "The user allows an external memory"),
        scope: about(text, "team (default), project, skill:NAME, or agent:NAME for that agent's own history"),
        tags: texts,
      },
      required: ["content"],
    },
    outputSchema: stored,
  },
  memory_search: {
    name: "memory_search",
    description:
      'Search the team memory by words and meaning: decisions, rules, histories, skills, lessons, sessions. The query may contain "a phrase", -word, type:decision, author:kane, tag:api, source:history, file:src/x.ts, after:2026-01-31, recent:7d. Past conversations and commits are found only with source.',
    inputSchema: {
      type: "object",
      properties: {
        query: text,
        agent: about(text, "Only this agent's memory"),
        all: about({ type: "boolean" }, "Include superseded and archived"),
        source: { type: "string", enum: ["conversation", "commit"], description: "What was said or done before" },
        limit: { type: "integer", minimum: 1, maximum: 100, description: "Default 10" },
      },
      required: ["query"],
    },
    outputSchema: {
      type: "object",
      properties: {
        results: {
          type: "array",
          items: {
            type: "object",
            properties: { id: text, class: text, title: text, snippet: text, source: text, path: text },
          },
        },
      },
      required: ["results"],
    },
    annotations: reading,
  },
  memory_read: {
    name: "memory_read",
    description:
      "Read full items by the ids that contexts, memory_search and recent show; a unique prefix of an id is enough.",
    inputSchema: { type: "object", properties: { ids: texts }, required: ["ids"] },
    annotations: reading,
  },
  memory_promote: {
    name: "memory_promote",
    description: "Store a memory under another class; the old one is superseded.",
    inputSchema: {
      type: "object",
      properties: {
        id: text,
        targetClass: { type: "string", enum: ["LOCAL", "DECISION", "POLICY", "COPILOT_MEMORY"] },
        actor: about(text, "Who promotes it"),
      },
      required: ["id", "targetClass"],
    },
    outputSchema: stored,
  },
  memory_delete: {
    name: "memory_delete",
    description: "Delete a governed memory; a tombstone is kept.",
    inputSchema: { type: "object", properties: { id: text, actor: text }, required: ["id"] },
    annotations: { destructiveHint: true },
  },
  memory_audit: {
    name: "memory_audit",
    description: "The audit log of governed memory, newest last; it contains no content.",
    inputSchema: {
      type: "object",
      properties: {
        limit: { type: "integer", minimum: 1, maximum: 1000, description: "Number of records; default 50" },
        verify: about({ type: "boolean" }, "Verify that the log was not changed"),
      },
    },
    annotations: reading,
  },
  recent: {
    name: "recent",
    description:
      "What happened in the last coding agent session here: what the user asked for, the result, what was learned and decided, files changed, unresolved failures, files not committed.",
    inputSchema: {
      type: "object",
      properties: {
        limit: { type: "integer", minimum: 1, maximum: 20, description: "Number of sessions" },
        since: about(text, "Instead: 24h, 7d, 2w or 3m"),
        agent: text,
      },
    },
    annotations: reading,
  },
  session_record: {
    name: "session_record",
    description:
      "Record what you discover, try and decide in this session's working memory, for other agents. start a session; discover; attempt (returns similar failed attempts), then finish it with its result; decide; context (set, add, remove); end.",
    inputSchema: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["start", "discover", "attempt", "finish", "decide", "context", "end"] },
        text: about(text, "The task, finding, attempt or decision; for finish the result, for end the summary"),
        session: about(text, "Default: the only open one"),
        agent: text,
        type: about(text, "discover: code_pattern, failure_cause, solution_verified…; decide: architectural…"),
        level: about(text, "Importance or impact: low, medium, high (critical)"),
        approach: about(text, "attempt: how"),
        id: about(text, "finish: the attempt"),
        result: { type: "string", enum: ["success", "failure", "partial"] },
        error: text,
        lessons: text,
        reasoning: text,
        alternatives: about(texts, "name: why not"),
        files: texts,
        related: about(texts, "decide: ids it is based on"),
        set: about({ type: "object" }, "context: fields"),
        add: about({ type: "object" }, "context: to constraints, openQuestions, nextSteps, blockers, assumptions"),
        remove: { type: "object" },
        status: { type: "string", enum: ["complete", "failed", "cancelled"] },
      },
      required: ["action"],
    },
    outputSchema: {
      type: "object",
      properties: { session: text, agent: text, id: text, similar: texts, worthKeeping: texts },
      required: ["session"],
    },
  },
  session_recall: {
    name: "session_recall",
    description:
      "What this session's agents discovered, tried and decided. prompt: a block for an agent's prompt; arbiter: a briefing for choosing the next agent; similar: similar failed attempts, findings on a topic; list: the sessions.",
    inputSchema: {
      type: "object",
      properties: {
        view: { type: "string", enum: ["prompt", "arbiter", "similar", "list"], description: "Default prompt" },
        session: text,
        agent: text,
        prompt: about(text, "Your own prompt, put before it"),
        approach: text,
        topic: text,
      },
    },
    annotations: reading,
  },
} as const satisfies Record<string, Tool>

export type ToolName = keyof typeof allTools

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

export type ToolProfile = {
  /** `squad` adds Squad's own tools. */
  profile: "drey" | "squad"
  /** `dotted` lists `memory.write` for `memory_write`, as Squad does; some clients cannot use such names. */
  toolNames: "plain" | "dotted"
}

/** The tools as listed to clients, with the configured spelling. */
export function listTools({ profile, toolNames }: ToolProfile): Tool[] {
  const tools: Tool[] = Object.values(toolsOf(profile))
  return toolNames === "plain" ? tools : tools.map((tool) => ({ ...tool, name: tool.name.replace(plain, "memory.") }))
}

/** The tool with this name, in either spelling. */
export function findTool(name: string, { profile }: ToolProfile): ToolName | SquadToolName | undefined {
  const wanted = name.replace(/^memory\./, "memory_")
  return (Object.keys(toolsOf(profile)) as (ToolName | SquadToolName)[]).find((each) => each === wanted)
}

const plain = /^memory_/

function toolsOf(profile: ToolProfile["profile"]): Readonly<Record<string, Tool>> {
  return profile === "squad" ? { ...allTools, ...squadTools } : allTools
}
