import { expect, test } from "vitest"
import { DreyError } from "../../errors.ts"
import { electricianNotes, notesPath, session, testerNotes } from "../test-notes.ts"
import { readSessionItems } from "./session-items.ts"

const file = { key: notesPath, session, archived: false }
const items = readSessionItems(electricianNotes, file)
const start = `s:${session}`

test("every discovery, attempt and decision is an item with its agent, its time and its line in the file", () => {
  expect(items.map(({ id, type, line }) => ({ id, type, line }))).toEqual([
    { id: `${start}/discovery-001`, type: "discovery", line: lineOf("discovery-001") },
    { id: `${start}/discovery-002`, type: "discovery", line: lineOf("discovery-002") },
    { id: `${start}/attempt-001`, type: "attempt", line: lineOf("attempt-001") },
    { id: `${start}/attempt-002`, type: "attempt", line: lineOf("attempt-002") },
    { id: `${start}/decision-001`, type: "decision", line: lineOf("decision-001") },
  ])
  const attempt = items[2]
  expect(attempt).toMatchObject({
    source: "session",
    author: "Electrician",
    agent: "electrician",
    scope: "agent:Electrician",
    path: notesPath,
    at: Date.parse("2026-01-23T10:40:00.000Z"),
  })
})

test("the title is the summary or the first informative line, the text is the whole note", () => {
  expect(items.map(({ title }) => title)).toEqual([
    "Relays that stick: the one in the hall; the one in the attic",
    "Fuses are numbered by floor",
    "Warm up the relay before dusk",
    "Replace the relay by a triac",
    "Switch lamps without moving parts",
  ])
  const texts = items.map(({ text }) => text)
  expect(texts[0]).toContain("Files: wiring/hall.txt")
  expect(texts[1]).toBe("Every floor has ten, the first digit is the floor.")
  expect(texts[2]).toBe(
    [
      "Approach: A timer that closes the contact for a second",
      "Error: ContactWelded: the relay in the hall never opens again",
      "Lessons: Never close a sticky contact under load",
    ].join("\n\n"),
  )
  expect(texts[4]).toContain("Alternatives: Bigger relays (noisy)")
})

test("an attempt's result, a discovery's type and a decision's impact can be filtered as tags", () => {
  expect(items.map(({ tags }) => tags)).toEqual([
    ["failure_cause", "high"],
    ["data_model", "medium"],
    ["failure"],
    ["in_progress"],
    ["architectural", "high-impact"],
  ])
})

test("the notes of another agent have its name in their ids, archived or not", () => {
  for (const name of ["agent-memory.tester.yaml", "agent-memory-archive.tester.yaml"]) {
    const key = notesPath.replace("agent-memory.yaml", name)
    expect(
      readSessionItems(testerNotes, { key, session, archived: name.includes("archive") }).map(({ id }) => id),
    ).toEqual([`${start}/tester/discovery-001`])
  }
})

test("an id is unique, and can be typed in any shell, whatever the file calls an entry", () => {
  const text = electricianNotes
    .replace("id: decision-001", "id: attempt-001")
    .replace("id: discovery-001", `id: "it's $HOME/ü & *"`)
  const ids = readSessionItems(text, file).map(({ id }) => id)
  expect(ids).toEqual([
    `${start}/it%27s%20%24HOME%2fü%20%26%20%2a`,
    `${start}/discovery-002`,
    `${start}/attempt-001@attempt`,
    `${start}/attempt-002`,
    `${start}/attempt-001@decision`,
  ])
})

test("an entry with an invalid time has no date", () => {
  const text = testerNotes.replace('"2026-01-23T10:50:00.000Z"', "yesterday")
  expect(readSessionItems(text, file).map(({ at }) => at)).toEqual([undefined])
})

test.each([
  ["broken YAML", electricianNotes.replace("attempts:", "attempts: [")],
  ["a list of the wrong type", electricianNotes.replace("result: failure", "result: 7")],
  ["another file", "just: something\n"],
])("%s is an error that names the position", (_, text) => {
  expect(() => readSessionItems(text, file)).toThrow(DreyError)
  expect(() => readSessionItems(text, file)).toThrow(/agent-memory\.yaml:\d+:\d+ cannot be read: ./)
})

function lineOf(id: string): number {
  return electricianNotes.split("\n").findIndex((line) => line.includes(`id: ${id}`)) + 1
}
