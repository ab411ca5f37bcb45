import { expect, test } from "vitest"
import { keysNamed, namesKey, plainWords } from "./names-key.ts"

test.each([
  ["Switch the package manager", "project.package_manager", true],
  ["Add lodash as a dependency", "project.package_manager", true],
  ["Which test command is right?", "project.test.command", true],
  ["What does the queue of orders use?", "project.orders.queue", true],
  ["Draw the moon in CSS", "project.package_manager", false],
  ["Manage the team", "project.package_manager", false],
])("“%s” and %s: %s", (task, key, isNamed) => expect(namesKey(plainWords(task), key)).toBe(isNamed))

test("the usual keys are listed for a task", () => {
  expect(keysNamed(plainWords("Add a column to the users table"))).toEqual(["project.db.engine", "project.db.orm"])
})
