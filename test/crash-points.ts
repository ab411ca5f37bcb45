import { seeded } from "./seeded.ts"

/**
 * The operations, counted from 1, before which a test kills a process: with DREY_CRASH_POINTS=all every one, else the first, the last and
 * one in each stretch between. Which one of a stretch depends on the label, so that no kind of operation is skipped by all tests.
 */
export function crashPoints(label: string, operations: number, most: number): number[] {
  if (process.env.DREY_CRASH_POINTS === "all" || operations <= most)
    return Array.from({ length: operations }, (_, index) => index + 1)
  const random = seeded([...label].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7))
  const stretch = (operations - 2) / (most - 2)
  const between = Array.from({ length: most - 2 }, (_, index) => 2 + Math.floor((index + random()) * stretch))
  return [...new Set([1, ...between, operations])]
}
