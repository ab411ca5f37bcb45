import { expect, test } from "vitest"
import { isAdr, readAdrs } from "./adr.ts"

const adrTools = `# 2. Use PostgreSQL

Date: 2016-02-12

## Status

Accepted

Supercedes [1. Use MySQL](0001-use-mysql.md)

## Context

We need a database.

## Decision

We will use PostgreSQL.

## Consequences

Backups change.
`

const superseded = `# 1. Use MySQL

Date: 2016-01-02

## Status

Superceded by [2. Use PostgreSQL](0002-use-postgresql.md)

## Context

Cheap.

## Decision

We will use MySQL.
`

const madr = `---
status: accepted
date: 2024-03-05
decision-makers: Ines Falk, Otto Kern
consulted: everyone
---

# Use Markdown records

## Context and Problem Statement

Where do decisions live?

## Considered Options

* Wiki
* Repository

## Decision Outcome

Chosen option: "Repository".

### Consequences

* Good, because it is versioned
`

const log4brains = `# Use the log4brains structure

- Status: superseded by [20210301-use-drey](20210301-use-drey.md)
- Deciders: Mira
- Date: 2021-02-03
- Tags: process, docs

## Context

Logs were lost.

## Decision

Keep them in the repository.
`

test("adr-tools' records are read with date, status, decision and reason", () => {
  const [first, second] = readAdrs([
    { path: "0001-use-mysql.md", text: superseded },
    { path: "0002-use-postgresql.md", text: adrTools },
  ])
  expect(second).toMatchObject({
    type: "decision",
    title: "Use PostgreSQL",
    date: "2016-02-12",
    details: "We will use PostgreSQL.\n\n## Consequences\n\nBackups change.",
    rationale: "We need a database.",
    tags: ["adr"],
    supersedes: ["0001-use-mysql.md"],
  })
  expect(first).toMatchObject({ title: "Use MySQL", tags: ["adr", "superseded"], supersedes: [] })
})

test("MADR's front matter names the date and the deciders", () => {
  const [entry] = readAdrs([{ path: "decisions/0005-markdown.md", text: madr }])
  expect(entry).toMatchObject({
    title: "Use Markdown records",
    date: "2024-03-05",
    authors: ["Ines Falk", "Otto Kern"],
    rationale: "Where do decisions live?",
    extensions: [{ name: "status", value: "accepted" }],
  })
  expect(entry?.details).toContain('Chosen option: "Repository".')
  expect(entry?.details).toContain("## Considered Options\n\n* Wiki")
})

test("log4brains' list above the text is read, and its link by bare name is followed", () => {
  const newer = "# Use Drey\n\n- Status: accepted\n\n## Decision\n\nDo.\n"
  const [older, latest] = readAdrs([
    { path: "20210203-log4brains.md", text: log4brains },
    { path: "20210301-use-drey.md", text: newer },
  ])
  expect(older).toMatchObject({ date: "2021-02-03", authors: ["Mira"], tags: ["adr", "superseded", "process", "docs"] })
  expect(older?.details).toBe("Keep them in the repository.")
  expect(latest).toMatchObject({ date: "2021-03-01", supersedes: ["20210203-log4brains.md"] })
})

test("a link by number is followed; a rejected record is a note, a proposed one waits for review", () => {
  const [one, two, three] = readAdrs([
    { path: "adr-0001-a.md", text: "# ADR-0001: A\n\n## Status\n\nSuperseded by ADR-0003\n\n## Decision\n\nA.\n" },
    { path: "adr-0002-b.md", text: "# ADR-0002: B\n\n## Status\n\nRejected\n\n## Decision\n\nB.\n" },
    { path: "adr-0003-c.md", text: "# ADR-0003: C\n\n## Status\n\nProposed\n\n## Decision\n\nC.\n" },
  ])
  expect(one?.title).toBe("A")
  expect(two?.type).toBe("note")
  expect(three).toMatchObject({ supersedes: ["adr-0001-a.md"], review: "proposed, not accepted yet" })
})

test("templates and overviews are not records", () => {
  expect(
    readAdrs([
      { path: "adr-template.md", text: adrTools },
      { path: "README.md", text: adrTools },
    ]),
  ).toEqual([])
  expect(isAdr({ path: "0001-use-mysql.md", text: superseded })).toBe(true)
  expect(isAdr({ path: "0001-chapter.md", text: "# Once upon a time\n" })).toBe(false)
})
