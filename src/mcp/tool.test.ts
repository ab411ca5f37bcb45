import { expect, test } from "vitest"
import { readArguments, type Tool } from "./tool.ts"
import { allTools } from "./tools.ts"

test("arguments are read according to the schema; null means missing, and unknown ones are ignored", () => {
  const given = { task: "Add a login", agent: null, budget: 500, mood: "good" }
  expect(readArguments(allTools.get_task_context, given)).toEqual({
    task: "Add a login",
    agent: undefined,
    paths: undefined,
    budget: 500,
  })
})

test("a class is recognised in any case", () => {
  expect(readArguments(allTools.memory_write, { content: "x", class: " decision " })).toMatchObject({
    class: "DECISION",
  })
})

test.each([
  [{}, '"task" is missing: a text'],
  [{ task: 7 }, '"task" must be a text'],
  [{ task: "x", paths: "src" }, '"paths" must be a list of texts'],
  [{ task: "x", paths: [1] }, '"paths" must be a list of texts'],
  [{ task: "x", budget: 1.5 }, '"budget" must be a whole number from 50 to 100000'],
  [{ task: "x", budget: 1 }, '"budget" must be a whole number from 50 to 100000'],
])("the problem with %j is reported by name", (given, problem) => {
  expect(() => readArguments(allTools.get_task_context, given)).toThrow(`get_task_context: ${problem}`)
})

test("a wrong value is not repeated: it may be anything", () => {
  const read = () => readArguments(allTools.memory_write, { content: "x", class: "hunter2" })
  expect(read).toThrow('"class" must be one of TRANSIENT, LOCAL')
  expect(read).not.toThrow("hunter2")
})

test("flags and objects are read as such", () => {
  const tool = {
    name: "t",
    description: "",
    inputSchema: { type: "object", properties: { all: { type: "boolean" }, set: { type: "object" } } },
  } as const satisfies Tool
  expect(readArguments(tool, { all: false, set: { a: 1 } })).toEqual({ all: false, set: { a: 1 } })
  expect(() => readArguments(tool, { all: "yes" })).toThrow('"all" must be true or false')
  expect(() => readArguments(tool, { set: [] })).toThrow('"set" must be an object')
})
