import { ferryDecisions, ferryDirectives } from "./ferry-decisions.ts"
import { ferryHistories } from "./ferry-histories.ts"
import { daysAgo, type Noted, writeNote } from "./note.ts"

/** The team folder of the sample: decisions, histories, a skill, and an inbox with something of every kind in it. */
export function ferryFiles(now: number): Record<string, string> {
  const write = (type: "decision" | "directive", note: Noted) => writeNote(type, note, { now, others: ferryDecisions })
  const decisions = [
    ...ferryDirectives.map((note) => write("directive", note)),
    ...ferryDecisions.map((note) => write("decision", note)),
  ]
  const histories = Object.entries(ferryHistories).map(([agent, notes]) => [
    `.squad/agents/${agent}/history.md`,
    `# History\n\n${notes.map((note) => writeNote("memory", note, { now, scope: `agent:${agent}` })).join("\n")}`,
  ])
  const inbox = Object.entries(proposals).map(([name, note]) => [
    `.squad/decisions/inbox/${name}.md`,
    write("decision", note),
  ])
  return {
    ".squad/team.md": team,
    ".squad/decisions.md": `# Decisions\n\n${decisions.join("\n")}`,
    ".squad/decisions/inbox/otto-pier.md": halfMerged(daysAgo(now, 3)),
    ".squad/skills/release-a-hotfix/SKILL.md": skill,
    ...Object.fromEntries([...histories, ...inbox]),
  }
}

const team = `# Team

| Name | Role |
|---|---|
| Kane | Backend |
| Mira | Frontend |
| Otto | Tests |
| Rhea | Operations |
`

const skill = `---
name: release-a-hotfix
description: Bring a fix to production within half an hour
---

1. Branch from the tag that is deployed.
2. Commit the fix with its test.
3. Merge to \`main\` as well, so that the next deployment has it.
`

/** A file that a merge of branches has left broken. */
function halfMerged(at: Date): string {
  return `### ${at.toISOString()}: decision: Scanners report at the pier
**Author:** Otto
<<<<<<< HEAD
**Tags:** tickets
=======
**Tags:** tickets, scanners
>>>>>>> scanners

A scanner sends what it has read as soon as it finds a network.
`
}

const proposals: Record<string, Noted> = {
  "kane-webhooks": {
    days: 1,
    author: "Kane",
    title: "Bank webhooks are stored before they are handled",
    tags: ["payments", "webhooks"],
    text: "A webhook is written to `bank_events` and acknowledged at once; a worker handles it from there.",
    why: "Two notices were lost while the worker was being deployed.",
  },
  "mira-hold-time": {
    days: 1,
    author: "Mira",
    title: "Seats are held for twelve minutes",
    tags: ["bookings", "seats"],
    supersedes: "Seats are held for eight minutes",
    text: "A seat in a basket is held for twelve minutes. The clock is shown; when it ends the basket stays and only the seats go.",
    why: "The new payment page takes three minutes longer.",
  },
  "otto-flaky": {
    days: 2,
    author: "Otto",
    title: "Flaky tests are fixed or deleted within two days",
    tags: ["tests"],
    text: "Whoever sees a test fail and then pass opens a ticket. After two days without a fix the test is deleted.",
    why: "Nobody looked at red builds any more.",
  },
  "rhea-status-page": {
    days: 4,
    author: "Rhea",
    title: "The status page is served from another provider",
    tags: ["operations"],
    text: "The status page runs at another provider than the site, and its texts can be changed from a phone.",
    why: "It was down with the site it reports on.",
  },
}
