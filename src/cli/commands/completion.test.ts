import { expect, test } from "vitest"
import { completeLine, renderCandidates, wordsListedIn } from "../complete-line.ts"
import { makeProgram } from "../program.ts"
import { shapeOf } from "./completion.ts"

const program = shapeOf(await makeProgram())

function complete(...words: string[]): string[] | string {
  const completion = completeLine(program, words)
  return completion.kind === "words" ? completion.words.map(({ word }) => word) : completion.kind
}

test("commands come first, subcommands after their command, options after a dash", () => {
  expect(complete("")).toEqual(expect.arrayContaining(["memory", "validate", "completion"]))
  expect(complete("session", "attempt", "")).toEqual(["start", "update", "finish"])
  expect(complete("validate", "--")).toEqual(expect.arrayContaining(["--staged", "--root", "--help", "--no-color"]))
  expect(complete("memory", "classify", "-")).not.toContain("--staged")
})

test("an option's values are those it allows, or those its help lists", () => {
  const formats = ["text", "json", "github", "sarif"]
  expect(complete("validate", "--format", "")).toEqual(formats)
  expect(complete("validate", "--format", "=")).toEqual(formats) // as bash cuts --format=
  expect(complete("validate", "--format", "=", "gi")).toEqual(formats)
  expect(complete("validate", "--format=gi")).toContain("--format=github")
  expect(complete("memory", "write", "Use tabs", "--class", "")).toContain("DECISION")
  expect(complete("connect", "codex", "")).toContain("zed")
  expect(complete("session", "attempt", "update", "attempt-001", "--sub-task", "")).toBe("nothing")
})

test("names and files are completed by the project and the shell", () => {
  expect(complete("context", "--agent", "")).toBe("agents")
  expect(complete("session", "show", "--session", "")).toBe("sessions")
  expect(complete("session", "end", "")).toBe("sessions")
  expect(complete("why", "")).toBe("items")
  expect(complete("pin", "")).toBe("learned")
  expect(complete("memory", "read", "")).toBe("governed")
  expect(complete("validate", "")).toBe("files")
  expect(complete("validate", "--root", "")).toBe("folders")
})

test("free text is not completed, and words after -- are not options", () => {
  expect(complete("context", "--task", "")).toBe("nothing")
  expect(complete("search", "lanterns", "")).toBe("nothing")
  expect(complete("validate", "--", "--sta")).toBe("files")
})

test("a value that looks like a command is not one", () => {
  expect(complete("memory", "--author", "write", "--")).toContain("--as-of")
})

test("a list in a help text is parsed; a sentence with commas is not a list", () => {
  expect(wordsListedIn("ALWAYS, ON-DEMAND or NEVER; default: ALWAYS")).toEqual(["ALWAYS", "ON-DEMAND", "NEVER"])
  expect(wordsListedIn("what to tell: none, error or debug")).toEqual(["none", "error", "debug"])
  expect(wordsListedIn("the text, instead of the words")).toEqual([])
})

test("each shell gets its candidates in its own form", () => {
  const candidates = [{ word: "agent:kane", description: "Kane; who builds" }]
  expect(renderCandidates("bash", candidates)).toBe("agent:kane\n")
  expect(renderCandidates("zsh", candidates)).toBe("agent\\:kane:Kane\n")
  expect(renderCandidates("fish", candidates)).toBe("agent:kane\tKane\n")
})
