import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { ferryFiles } from "../../../test/ui/sample/ferry-files.ts"

/** The folder of a team that sells ferry tickets, with a file of code and a session. */
export function writeSample(folder: string, now: number): void {
  const files: Record<string, string> = {
    ...ferryFiles(now),
    ".squad/decisions/money.md": moneyDecisions(stamp(now - 7_200_000), stamp(now - 3_600_000)),
    "src/payments.ts":
      "export function chargeCard(cents: number) {\n  return cents\n}\n\nexport class TicketPrinter {}\n",
    ".squad/sessions/2026-03-02T10-00-00-charge/agent-memory.yaml": sessionFile,
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

function stamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}+0000`
}

const moneyDecisions = (first: string, second: string) => `# Money

### ${first}: decision: Cards are charged once

**type:** decision  
**timestamp:** ${first}  
**author:** Kane  
**scope:** team  

**summary:** Every charge in \`src/payments.ts\` goes through \`chargeCard\`.

**rationale:** Two call sites charged twice.

---

### ${second}: decision: Charges carry a key

**type:** decision  
**timestamp:** ${second}  
**author:** Ines  
**scope:** team  
**supersedes:** ${first}  

**summary:** \`chargeCard\` in \`src/payments.ts\` sends an idempotency key.

**rationale:** The bank retries by itself.

---
`

const sessionFile = `version: "1"
schema: agent-memory
sessionId: 2026-03-02T10-00-00-charge
agent: kane
createdAt: "2026-03-02T10:00:00.000Z"
updatedAt: "2026-03-02T10:30:00.000Z"
discoveries:
  - id: d1
    timestamp: "2026-03-02T10:10:00.000Z"
    type: failure_cause
    importance: high
    content: The bank answers late.
attempts: []
decisions: []
`
