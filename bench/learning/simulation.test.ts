import { expect, test } from "vitest"
import { type Arm, dreyArm, literalArm } from "./arms.ts"
import { ranks } from "./ranks.ts"
import { patterns, standing } from "./simulated-world.ts"
import { meanShare, runSeeds } from "./simulation.ts"

const seeds = 2

function results(rankAt: number, arm: () => Arm) {
  const rank = ranks[rankAt]
  if (!rank) throw new Error("There is no such rank.")
  return runSeeds(seeds, rank, arm)
}

const lastErrors = ({ runs }: ReturnType<typeof runSeeds>) =>
  runs.reduce((sum, { errors }) => sum + errors.slice(-3).reduce((total, value) => total + value, 0), 0) / (3 * seeds)

test("Drey's rules promote what is useful, hardly what is useless, nothing harmful, and end what is crowded out", () => {
  const drey = results(0, dreyArm)
  expect(meanShare(drey, "useful", "promoted")).toBeGreaterThan(0.93)
  expect(meanShare(drey, "useless", "promoted")).toBeLessThan(0.06)
  expect(meanShare(drey, "harmful", "promoted")).toBe(0)
  expect(meanShare(drey, "harmful", "ended")).toBeGreaterThan(0.7)
  expect(meanShare(drey, "crowded-out", "ended")).toBe(1)
})

test("harmful memories that look as good as useful ones are found out, and work goes better for it", () => {
  const [drey, literal] = [results(1, dreyArm), results(1, literalArm)]
  expect(meanShare(drey, "harmful", "ended")).toBeGreaterThan(0.9)
  expect(meanShare(drey, "harmful", "promoted")).toBeLessThan(0.02)
  expect(meanShare(drey, "harmful", "everPromoted")).toBeLessThan(0.05)
  expect(meanShare(drey, "useful", "promoted")).toBeGreaterThan(0.92)
  expect(lastErrors(drey)).toBeLessThan(lastErrors(literal) - 0.2)
})

test("the literal rules promote nearly everything that is ever used, and end nothing", () => {
  const literal = results(0, literalArm)
  expect(meanShare(literal, "useless", "promoted")).toBeGreaterThan(0.9)
  expect(meanShare(literal, "harmful", "promoted")).toBeGreaterThan(0.9)
  expect(meanShare(literal, "crowded-out", "ended")).toBe(0)
})

test("nothing harmful of any kind stays promoted, whatever chooses what is handed out", () => {
  for (const rank of ranks)
    for (const subject of [patterns, ...standing])
      expect(meanShare(runSeeds(1, rank, dreyArm, subject), "harmful", "promoted")).toBe(0)
})

test("what no error can prove wrong needs evidence too", () => {
  for (const subject of standing) {
    const rank = ranks[0]
    if (!rank) throw new Error("There is no rank.")
    const [drey, literal] = [runSeeds(1, rank, dreyArm, subject), runSeeds(1, rank, literalArm, subject)]
    expect(meanShare(drey, "useful", "promoted")).toBeGreaterThan(0.95)
    expect(meanShare(drey, "useless", "promoted")).toBeLessThan(0.1)
    expect(meanShare(literal, "useless", "promoted")).toBeGreaterThan(0.3)
    expect(meanShare(drey, "crowded-out", "ended")).toBe(1)
  }
})

test("the same seed gives the same world, another seed another one", () => {
  const [one, again] = [results(0, dreyArm), results(0, dreyArm)]
  expect(one).toEqual(again)
  expect(one.runs[0]).not.toEqual(one.runs[1])
})
