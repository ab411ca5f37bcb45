/** The beginning of an agent's memory; tests write the rest below it. */
export const memoryHead = `version: "1"
schema: agent-memory
sessionId: 20260302-080509-0a1b2c3d-prices
agent: developer
createdAt: "2026-03-02T08:05:09.730Z"
`

/** Every field that an agent's memory can have. */
export const fullMemory = `${memoryHead}updatedAt: "2026-03-02T09:40:00.000Z"

# What is known about the shop
discoveries:
  - id: discovery-001
    timestamp: "2026-03-02T08:10:00.000Z"
    type: data_model
    importance: high # both importers rely on it
    content: |
      Prices are stored as cents:
      - table prices, column amount
      - the feed sends decimals
    summary: Prices are integers in the table, decimals in the feed.
    relatedFiles: [src/prices/table.ts, src/feed/read.ts]
    actionItems:
      - Convert at the edge
  - id: discovery-002
    timestamp: "2026-03-02T09:15:00+01:00"
    type: failure_cause
    content: The feed writes commas in some countries.
    ticket: SHOP-7

attempts:
  - id: attempt-001
    timestamp: "2026-03-02T08:20:00.000Z"
    updatedAt: "2026-03-02T08:40:00.000Z"
    planStep: 1
    description: Read the feed with parseFloat
    approach: One line in the reader
    commands: [npm test]
    result: failure
    error: "Expected 1295, received 12"
    lessons: parseFloat stops at the comma.
    nextAttempt: Ask the feed for its locale
    duration_ms: 1200000
    iterations: 3
    tokensUsed: { input: 8000, output: 950 }
  - id: attempt-002
    timestamp: "2026-03-02T08:50:00.000Z"
    planStep: 1
    description: Read the feed by its locale
    result: in_progress
    status: working
    progress: 60%
    subTasks:
      - description: Take the locale from the header
        status: complete
      - description: Convert
        status: in_progress
    currentIssue: null
    nextStep: Convert
    artifacts:
      - path: src/feed/locale.ts
        action: create
        status: success
        content: "export const locales = {}"

decisions:
  - id: decision-001
    timestamp: "2026-03-02T08:45:00.000Z"
    type: architectural
    description: Convert where the feed is read
    reasoning: Everything behind it counts in cents.
    alternatives:
      - name: Convert in the table
        reason: Two importers write to it
      - "Convert on display (too late)"
      - Leave it
    impact: high
    reversible: true
    relatedDiscoveries: [discovery-001]
    relatedAttempts:
      - attempt-001

context:
  currentPlanStep: 1
  planStepStatus: in_progress
  filesInScope:
    - path: src/feed/read.ts
      status: in_progress
      purpose: Reads the feed
  codebaseUnderstanding:
    mainLanguage: TypeScript
    existingPatterns: [Plain functions]
  taskContext:
    currency: EUR
  constraints: [No new dependency]
  openQuestions: []
  nextSteps: [Convert]
  blockers: [No sample feed from Norway]
  assumptions:

history:
  - archivedAt: "2026-03-02T09:30:00.000Z"
    from: "2026-03-02T08:05:10.000Z"
    to: "2026-03-02T08:06:00.000Z"
    counts: { discoveries: 1, attempts: 0, decisions: 0 }
    summary: 1 discovery
    ids: [discovery-000]
`
