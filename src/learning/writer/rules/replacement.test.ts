import { expect, test } from "vitest"
import { inputOf, known, said } from "../test-input.ts"
import { rulesWriter } from "./rules-writer.ts"
import { chooseKey } from "./statement-lessons.ts"

const pnpm = known(1, "m-pnpm", "This project uses pnpm, not npm.", { key: "project.package_manager" })
const main = known(2, "m-main", "Never push to main.", { kind: "guard" })
const deploy = known(4, "m-deploy", "Never deploy to staging without asking.", { kind: "guard" })
const jest = known(3, "m-jest", "Run the tests with jest.")

async function operationsFor(message: string) {
  const answer = await rulesWriter().write(inputOf([said(message)], { known: [pnpm, main, jest, deploy] }))
  return answer.kind === "written" ? answer.operations : []
}

test.each([
  ["Actually we moved to bun, don't use pnpm anymore.", "m-pnpm"],
  ["We switched from pnpm to bun", "m-pnpm"],
  ["It's fine to push to main from now on.", "m-main"],
  ["jest is gone, we're on vitest now", "m-jest"],
  ["we no longer use jest", "m-jest"],
  ["Stop using pnpm, we're on bun now.", "m-pnpm"],
  ["pnpm has been dropped.", "m-pnpm"],
  ["Forget the pnpm rule, we use yarn.", "m-pnpm"],
  ["Pushing to main is allowed now.", "m-main"],
  ["You may push to main directly from now on.", "m-main"],
  ["Wir sind von pnpm auf bun umgestiegen.", "m-pnpm"],
  ["On n'utilise plus jest.", "m-jest"],
  ["Ya no usamos pnpm.", "m-pnpm"],
  ["我们不再用 jest 了", "m-jest"],
  ["You can deploy to staging without asking from now on.", "m-deploy"],
  ["jest was replaced by vitest.", "m-jest"],
])("%s replaces what it contradicts", async (message, target) => {
  expect(await operationsFor(message)).toMatchObject([{ op: "UPDATE", target }])
})

test("a switch has the key of what it chooses, so that it also replaces a memory in other words", () => {
  expect(chooseKey("In this project we switched from pnpm to bun.", false)).toBe("project.package_manager")
  expect(chooseKey("In this project we moved to bun.", false)).toBe("project.package_manager")
})

test("a full-width comma ends what is rejected", () => {
  expect(chooseKey("不要用 npm，用 pnpm。", false)).toBe("project.package_manager")
})

test.each([
  "Is it fine to push to main?",
  "the spinner is gone",
  "we use pnpm here",
  "why do we use pnpm",
  "You can push to main now",
  "OK, you may now deploy to staging.",
  "It's fine to deploy to staging.",
  "jest was removed from the lockfile by accident, add it again.",
  "The old logo was removed from the page about jest.",
])("%s ends nothing", async (message) => {
  expect((await operationsFor(message)).filter(({ op }) => op !== "ADD")).toEqual([])
})
