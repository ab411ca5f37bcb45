/** A session of two agents that look for the cause of a slow lamp. */
export const session = "20260123-103000-abc1def2-slow-lamp"
export const notesPath = `.squad/sessions/${session}/agent-memory.yaml`

const head = (agent: string) => `version: "1"
schema: agent-memory
sessionId: ${session}
agent: ${agent}
createdAt: "2026-01-23T10:30:00.000Z"
`

export const electricianNotes = `${head("Electrician")}discoveries:
  - id: discovery-001
    timestamp: "2026-01-23T10:31:00.000Z"
    type: failure_cause
    importance: high
    content: |
      Relays that stick:
      - the one in the hall
      - the one in the attic
    relatedFiles: [wiring/hall.txt]
  # the long way round
  - id: discovery-002
    timestamp: "2026-01-23T10:32:00.000Z"
    type: data_model
    summary: Fuses are numbered by floor
    content: Every floor has ten, the first digit is the floor.
attempts:
  - id: attempt-001
    timestamp: "2026-01-23T10:33:00.000Z"
    updatedAt: "2026-01-23T10:40:00.000Z"
    description: Warm up the relay before dusk
    approach: A timer that closes the contact for a second
    result: failure
    error: "ContactWelded: the relay in the hall never opens again"
    lessons: Never close a sticky contact under load
  - id: attempt-002
    timestamp: "2026-01-23T10:45:00.000Z"
    description: Replace the relay by a triac
    result: in_progress
    nextStep: Order a heat sink
decisions:
  - id: decision-001
    timestamp: "2026-01-23T10:44:00.000Z"
    type: architectural
    description: Switch lamps without moving parts
    reasoning: Contacts wear out
    alternatives:
      - Bigger relays (noisy)
    impact: high
    relatedDiscoveries: [discovery-001]
context:
  openQuestions:
    - Who owns the attic key?
  nextSteps: [Measure the leakage]
  blockers:
    - The heat sink is out of stock
`

export const testerNotes = `${head("Tester")}discoveries:
  - id: discovery-001
    timestamp: "2026-01-23T10:50:00.000Z"
    type: solution_verified
    content: With a triac the lamp is lit within 20 ms
`

/** The first agent's notes with one attempt more. */
export const oneMore = electricianNotes.replace(
  "decisions:",
  `  - id: attempt-003
    timestamp: "2026-01-23T11:00:00.000Z"
    description: Cool the triac with a copper plate
    result: success
decisions:`,
)
