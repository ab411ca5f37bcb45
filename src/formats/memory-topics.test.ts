import { expect, test } from "vitest"
import { keysMatchedBy, plainWords, taskMatchesKey } from "./memory-topics.ts"

test.each([
  ["Switch the package manager", "project.package_manager", true],
  ["Add lodash as a dependency", "project.package_manager", true],
  ["Which test command is right?", "project.test.command", true],
  ["What does the queue of orders use?", "project.orders.queue", true],
  ["Draw the moon in CSS", "project.package_manager", false],
  ["Manage the team", "project.package_manager", false],
])("“%s” and %s: %s", (task, key, isNamed) => expect(taskMatchesKey(plainWords(task), key)).toBe(isNamed))

test("the usual keys are listed for a task", () => {
  expect(keysMatchedBy(plainWords("Add a column to the users table"))).toEqual(["project.db.engine", "project.db.orm"])
})
