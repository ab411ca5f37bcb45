import { expect, test } from "vitest"
import { isOwnCommand, isOwnTool } from "./own-tools.ts"

test.each([
  "mcp__drey__memory_search",
  "mcp_drey_memory_search",
  "drey-memory_search",
  "drey_memory_search",
  "drey__memory_search",
  "mcp__plugin_team-tools_drey__memory_search",
])("%s is Drey's own", (name) => {
  expect(isOwnTool(name)).toBe(true)
})

test.each(["drey", "mcp__drey", "mcp__plugin_team_drey"])(
  "a plain name of the server or namespace %s is Drey's own",
  (server) => {
    expect(isOwnTool("memory_search", server)).toBe(true)
  },
)

test.each([
  ["memory_search", undefined],
  ["memory_search", "github"],
  ["mcp__dreyfus__memory_search", undefined],
  ["mcp__github__drey-search", undefined],
  ["dreyfus_search", "dreyfus"],
  ["Bash", undefined],
])("%s of %s is not", (name, server) => {
  expect(isOwnTool(name, server)).toBe(false)
})

test("a command line is Drey's own if it does nothing else", () => {
  expect(
    ["drey search x", " drey", "npx drey context --task x | head", "cd /work && npx -y drey why m-1"].map(isOwnCommand),
  ).toEqual([true, true, true, true])
  expect(
    ["dreyfus", "git drey", "drey tidy && npm test", "drey search x\nnpm test", "echo drey", ""].map(isOwnCommand),
  ).toEqual([false, false, false, false, false, false])
})
