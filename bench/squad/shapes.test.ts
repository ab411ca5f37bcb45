import { expect, test } from "vitest"
import { detectForbidden } from "../../src/governance/detect-forbidden.ts"
import { findSensitive, scrubText } from "../../src/governance/redaction.ts"
import { type Shape, shapeGroups } from "./shapes.ts"

const shapes = Object.entries(shapeGroups).flatMap(([group, { tuned, heldOut }]) =>
  Object.entries({ ...tuned, ...heldOut }).map(([name, make]): [string, Shape] => [`${group}: ${name}`, make]),
)
const ways = [(value: string) => value, (value: string) => `We noted this:\n${value}\n\nThe rest is fine.`]

test("there are at least 250 shapes, and each has a name of its own", () => {
  expect(new Set(shapes.map(([name]) => name)).size).toBe(shapes.length)
  expect(shapes.length).toBeGreaterThanOrEqual(250)
})

test("no shape of a secret passes, alone or in a sentence", () => {
  const passed = shapes.filter(([, make]) => ways.some((write) => detectForbidden(write(make())).length === 0))
  expect(passed.map(([name]) => name)).toEqual([])
})

test("nothing that could still be found is left where a mark was put, and the rest of the text stays", () => {
  const left: string[] = []
  for (const [name, make] of shapes) {
    const scrubbed = scrubText(ways[1]?.(make()) ?? "")
    if (findSensitive(scrubbed).some(({ kind }) => kind === "secret")) left.push(name)
    expect({ name, scrubbed }).toMatchObject({
      scrubbed: expect.stringMatching(/^We noted this:\n[\s\S]*The rest is fine\.$/),
    })
  }
  expect(left).toEqual([])
})
