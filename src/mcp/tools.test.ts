import { expect, test } from "vitest"
import { findTool, listTools } from "./tools.ts"

const plain = { profile: "drey", toolNames: "plain" } as const
const squad = { profile: "squad", toolNames: "plain" } as const

test("there are twelve tools, and the whole list takes less than 9 KB", () => {
  const bytes = Buffer.byteLength(JSON.stringify({ tools: listTools(plain) }))
  console.log(`tools/list: ${bytes} bytes; with --profile squad ${JSON.stringify({ tools: listTools(squad) }).length}`)
  expect(listTools(plain)).toHaveLength(12)
  expect(bytes).toBeLessThan(9000)
})

test("every name works in every client: letters and underscores, short, under a server's name without one", () => {
  for (const { name } of listTools(squad)) expect(name).toMatch(/^[a-z][a-z_]{1,30}$/)
})

test("every tool has a description, and requires only what it describes", () => {
  for (const { description, inputSchema } of listTools(squad)) {
    expect(description.length).toBeGreaterThan(20)
    const names = Object.keys(inputSchema.properties)
    for (const name of inputSchema.required ?? []) expect(names).toContain(name)
  }
})

test("dotted names are listed on request and always accepted", () => {
  const names = listTools({ profile: "drey", toolNames: "dotted" }).map(({ name }) => name)
  expect(names).toContain("memory.write")
  expect(names).toContain("session_record")
  expect(findTool("memory.write", plain)).toBe("memory_write")
  expect(findTool("memory_write", plain)).toBe("memory_write")
})

test("Squad's tools exist only in its profile, and nothing else exists", () => {
  expect(findTool("squad_decide", plain)).toBeUndefined()
  expect(findTool("squad_decide", squad)).toBe("squad_decide")
  for (const name of ["memory.", "constructor", "toString", ""]) expect(findTool(name, squad)).toBeUndefined()
})
