import { expect, test } from "vitest"
import { sentencesOf } from "./sentences-of.ts"

test("a message is cut into sentences, behind colons, and where it comes to what we do", () => {
  expect(
    sentencesOf("No. Accounting wants banker's rounding, we always use ROUND_HALF_EVEN\n- note that: second point"),
  ).toEqual([
    "No.",
    "Accounting wants banker's rounding,",
    "we always use ROUND_HALF_EVEN",
    "note that:",
    "second point",
  ])
})

test("a clause behind a semicolon stays where it tells what to do instead", () => {
  expect(sentencesOf("Never commit to main; open a pull request.")).toEqual([
    "Never commit to main; open a pull request.",
  ])
  expect(sentencesOf("Never commit to main; I had to clean up. From now on: use pnpm")).toEqual([
    "Never commit to main;",
    "I had to clean up.",
    "From now on: use pnpm",
  ])
})
