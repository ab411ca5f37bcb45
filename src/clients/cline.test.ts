import { join } from "node:path"
import { expect, test } from "vitest"
import type { Machine } from "./client.ts"
import { cline } from "./cline.ts"
import { newHome, writeTo } from "./test-reading.ts"

test.each<[string, Partial<Machine>, string[]]>([
  ["macOS", { platform: "darwin" }, ["Library", "Application Support", "VSCodium", "User", "globalStorage"]],
  ["Linux, in a server of VS Code", { platform: "linux" }, [".vscode-server", "data", "User", "globalStorage"]],
])("tasks are found on %s", (_name, machine, folders) => {
  const home = newHome(cline)
  writeTo(join(home, ...folders, "saoudrizwan.claude-dev", "tasks", "1", "api_conversation_history.json"), [])
  expect(cline.find({ home, environment: {}, platform: "linux", ...machine })).toHaveLength(1)
})
