import { expect, test } from "vitest"
import { asks, correctsBeyondRefusal, openerOf, redirects } from "./openers.ts"

test.each([
  "No, use the existing helper",
  "nope, still the wrong colour",
  "hmm no, keep the old signature",
  "that's not right, the endpoint is /v2",
  "You're editing the wrong file",
  "wrong branch, go back to develop",
  "Please don't touch the lockfile",
  "I said Postgres, not SQLite",
  "actually make it a query param",
  "undo the rename",
  "you removed the comment, put it back",
  "stop adding comments everywhere",
  "use tabs, not spaces",
  "print the name instead of the id",
  "we use pnpm here, not npm",
  "way too complicated",
  "leave the config alone",
  "Did you change the test? That's wrong, the mock was right.",
  "nein, nur umbenennen",
  "no, eso no",
  "不是这个文件",
  "non, garde l'ancien nom",
  "não, era o outro",
  "いや、そうじゃない",
])("%s corrects", (message) => {
  expect(openerOf(message)).toBe("correction")
  expect(asks(message)).toBe(false)
})

test.each([
  "no problem",
  "No tests exist for the parser yet, write some",
  "could you rename it instead?",
  "is it not possible to use a map here?",
  "why did you choose a map?",
  "don't forget the docs",
  "Add a dark mode toggle",
  "the build says no", // an opener counts only at the beginning
])("%s does not correct", (message) => {
  expect(openerOf(message) === "correction").toBe(false)
})

test.each([
  "Next, implement the CSV export",
  "now let's do the settings page",
  "Perfect. Now implement the logout button",
  "great, that's it. next: the weekly mail",
  "Unrelated: the favicon is missing",
  "Different question: how do we deploy?",
  "okay, forget that. let's work on search",
  "als nächstes die Rechnung",
  "接下来做登录页",
])("%s starts something new", (message) => {
  expect(openerOf(message)).toBe("new task")
})

test.each([
  "now it fails with another error",
  "now run it",
  "now add a test for it",
  "next.js is out of date, why",
  "still failing",
  "yes please",
  "also handle the empty list",
  "thanks",
  "commit",
])("%s continues", (message) => {
  expect(openerOf(message) === "new task").toBe(false)
})

test("a no may be an answer; more than a no is not", () => {
  expect(correctsBeyondRefusal("no")).toBe(false)
  expect(correctsBeyondRefusal("no, just the first one")).toBe(false)
  expect(correctsBeyondRefusal("no, that's wrong, use the second")).toBe(true)
  expect(correctsBeyondRefusal("you forgot the header")).toBe(true)
})

test("after a stop, any word for another way counts", () => {
  expect(redirects("fix the test, the code is right")).toBe(true)
  expect(redirects("just a commit")).toBe(true)
  expect(redirects("continue")).toBe(false)
  expect(redirects("should that not be two files?")).toBe(false)
})
