import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { type EditorParts, editorMethods } from "./editor-methods.ts"
import { allMethods, type MethodParts } from "./methods.ts"
import { rpcCodes } from "./protocol.ts"

const page = readFileSync(new URL("../../docs/rpc.md", import.meta.url), "utf8")

const editors = readFileSync(new URL("README.md", import.meta.url), "utf8")

test("the page about the socket and the README document exactly the existing methods", () => {
  const described = [...`${page}${editors}`.matchAll(/^### (`.+)$/gm)].flatMap(
    ([, names = ""]) => names.match(/\w+/g) ?? [],
  )
  const existing = { ...allMethods({} as MethodParts), ...editorMethods({} as EditorParts) }
  expect(described.sort()).toEqual(Object.keys(existing).sort())
})

test("it documents exactly the existing error codes", () => {
  const explained = [...page.matchAll(/^\| −(\d+) \|/gm)].map(([, code]) => -Number(code))
  expect(explained.sort()).toEqual(Object.values(rpcCodes).sort())
  for (const [, code] of `${page}${editors}`.matchAll(/−(32\d+)/g)) expect(explained).toContain(-Number(code))
})
