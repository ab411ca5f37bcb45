import { onTestFinished } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { trustForTest } from "../../test/trust-for-test.ts"
import { type McpCaller, openCalls } from "./calls.ts"
import type { ToolAnswer } from "./tool.ts"
import type { SquadToolName, ToolName } from "./tools.ts"

/** For tests: the calls of a server in this process, on a separate project. */
export function openTestCalls(files: Record<string, string> = { ".squad/team.md": "# Team\n" }) {
  const root = makeRepository(files)
  const environment = { DREY_HOME: makeRepository({}), DREY_USER: "ines" }
  trustForTest(environment.DREY_HOME, root)
  const told: string[] = []
  const calls = openCalls({ environment, warn: (message) => told.push(message) })
  onTestFinished(() => calls.close())
  const caller: McpCaller = {
    agent: undefined,
    client: "claude-code",
    session: undefined,
    folders: [root],
    progress: () => {},
  }
  /** The words and data of the answer; what went wrong is an answer too, as clients get it. */
  const call = async (
    name: ToolName | SquadToolName,
    given: Record<string, unknown> = {},
    other: Partial<McpCaller> = {},
  ): Promise<ToolAnswer> => {
    const outcome = await calls.callTool(name, given, { ...caller, ...other })
    return outcome.kind === "answer" ? outcome.answer : { text: outcome.text, isError: true }
  }
  return { root, environment, told, calls, caller, call }
}
