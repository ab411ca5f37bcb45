import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { allMethods, type MethodParts } from "./methods.ts"
import { rpcCodes } from "./protocol.ts"

const page = readFileSync(new URL("../../docs/rpc.md", import.meta.url), "utf8")

test("the page about the socket documents exactly the existing methods", () => {
  const described = [...page.matchAll(/^### `(\w+)`$/gm)].map(([, name]) => name)
  expect(described.sort()).toEqual(Object.keys(allMethods({} as MethodParts)).sort())
})

test("it documents exactly the existing error codes", () => {
  const explained = [...page.matchAll(/^\| −(\d+) \|/gm)].map(([, code]) => -Number(code))
  expect(explained.sort()).toEqual(Object.values(rpcCodes).sort())
  for (const [, code] of page.matchAll(/−(32\d+)/g)) expect(explained).toContain(-Number(code))
})
