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
        task: about(text, "What is to be done, in a sentence or two"),
        agent: about(text, "Your name in the team"),
        paths: about(texts, "Files it is about"),
        budget: { type: "integer", minimum: 50, maximum: 100_000, description: "Tokens at most; default 2000" },
      },
      required: ["task"],
    },
    annotations: reading,
  },
  report_outcome: {
    name: "report_outcome",
    description:
      "Tell how a task went and which memories of its context helped or were wrong. Call it when a task is done.",
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
    description: "What the gate makes of a text: its class, and whether it may be stored. Stores nothing.",
    inputSchema: {
      type: "object",
      properties: { content: text, class: about(memoryClass, "The class you would ask for") },
      required: ["content"],
    },
  },
  memory_write: {
    name: "memory_write",
    description:
      "Keep something for the whole team: a decision, a rule (POLICY), a fact (LOCAL). Secrets and passing task state are refused.",
    inputSchema: {
      type: "object",
      properties: {
        content: text,
        title: text,
        author: about(text, "Who says so"),
        class: about(memoryClass, "Default: by the text"),
        approved: about({ type: "boolean" }, "A person allows an external memory"),
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
      'Find what is remembered, by words and meaning: decisions, rules, histories, skills, lessons, sessions. The query may hold "a phrase", -word, type:decision, author:kane, tag:api, source:history, after:2026-01-31, recent:7d.',
    inputSchema: {
      type: "object",
      properties: {
        query: text,
        agent: about(text, "Only what this agent remembers"),
        all: about({ type: "boolean" }, "Superseded and archived too"),
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
      "Read items whole, by the ids that contexts, memory_search and recent show; a unique beginning of an id is enough.",
    inputSchema: { type: "object", properties: { ids: texts }, required: ["ids"] },
    annotations: reading,
  },
  memory_promote: {
    name: "memory_promote",
    description: "Store a memory again under another class; the old one is superseded.",
    inputSchema: {
      type: "object",
      properties: {
        id: text,
        targetClass: { type: "string", enum: ["LOCAL", "DECISION", "POLICY", "COPILOT_MEMORY"] },
        actor: about(text, "Who does it"),
      },
      required: ["id", "targetClass"],
    },
    outputSchema: stored,
  },
  memory_delete: {
    name: "memory_delete",
    description: "Delete a governed memory; a tombstone says that it was there.",
    inputSchema: { type: "object", properties: { id: text, actor: text }, required: ["id"] },
    annotations: { destructiveHint: true },
  },
  memory_audit: {
    name: "memory_audit",
    description: "What was done with governed memory, newest last; the record holds no content.",
    inputSchema: {
      type: "object",
      properties: {
        limit: { type: "integer", minimum: 1, maximum: 1000, description: "The last so many; default 50" },
        verify: about({ type: "boolean" }, "Check that nobody changed the record"),
      },
    },
    annotations: reading,
  },
  recent: {
    name: "recent",
    description:
      "What happened in the last session of a coding agent here: what the user asked for, how it ended, what was learned and decided, files changed, failures left open.",
    inputSchema: {
      type: "object",
      properties: {
        limit: { type: "integer", minimum: 1, maximum: 20, description: "The last so many sessions" },
        since: about(text, "Instead: 24h, 7d, 2w or 3m"),
        agent: text,
      },
    },
    annotations: reading,
  },
  session_record: {
    name: "session_record",
    description:
      "Note in this session's working memory what you find out, try and decide, for the agents after you. start a session; discover; attempt (tells of like attempts that failed), then finish it with its result; decide; context (set, add, remove); end.",
    inputSchema: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["start", "discover", "attempt", "finish", "decide", "context", "end"] },
        text: about(text, "The task, finding, attempt or decision; at finish what came of it, at end the summary"),
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
        related: about(texts, "decide: ids it rests on"),
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
      "What this session's agents found out, tried and decided. prompt: a block for an agent's prompt; arbiter: for whoever chooses the next agent; similar: failed attempts like an approach, findings on a topic; list: the sessions.",
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
