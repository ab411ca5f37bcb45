import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { makeProject } from "./make-project.ts"
import { environmentIn, mustWork, type PlaceParts } from "./open-place.ts"
import { runProgram } from "./run-program.ts"

export const inspector = { package: "@modelcontextprotocol/inspector", version: "0.15.0", program: "mcp-inspector" }

export type Inspection = { schemaBytes: number; calls: InspectedCall[] }
export type InspectedCall = { tool: string; isAnswered: boolean; answer: string }

type Arguments = Record<string, string>
type Answer = { isError?: boolean; content?: { text?: string }[]; structuredContent?: { id?: string } }

/** One call of each tool, in an order in which each has something to do; some need the id that the write gave. */
const calls: Record<string, (writtenId: string) => Arguments> = {
  memory_classify: () => ({ content: "We decided to round every price once, at the end." }),
  memory_write: () => ({
    content: "Decision: we round every price once, at the end.",
    class: "DECISION",
    author: "Fenster",
  }),
  memory_search: () => ({ query: "round price" }),
  get_task_context: () => ({ task: "Round the price of an order", paths: '["src/price.js"]' }),
  report_outcome: () => ({ outcome: "success", note: "rounded" }),
  memory_read: (id) => ({ ids: JSON.stringify([id]) }),
  memory_promote: (id) => ({ id, targetClass: "POLICY", actor: "Fenster" }),
  memory_delete: (id) => ({ id, actor: "Fenster" }),
  memory_audit: () => ({ limit: "5", verify: "true" }),
  recent: () => ({}),
  session_record: () => ({ action: "start", text: "Round prices", agent: "developer" }),
  session_recall: () => ({ view: "list" }),
}

/** The MCP Inspector's command line lists the tools of `drey mcp` and calls each of them once. */
export async function inspectServer({ cli, programs, work }: Omit<PlaceParts, "modelFolder">): Promise<Inspection> {
  const place = { cwd: join(work, "project"), env: environmentIn(join(work, "home"), [programs]) }
  mkdirSync(place.env.HOME ?? "", { recursive: true })
  await makeProject(place)
  await mustWork(runProgram([process.execPath, cli, "init"], place))
  const inspect = (...args: string[]) =>
    runProgram([inspector.program, "--cli", process.execPath, cli, "mcp", "--method", ...args], place)

  const listed = await inspect("tools/list")
  const { tools }: { tools: { name: string }[] } = JSON.parse(listed.stdout)
  let writtenId = ""
  const inspected: InspectedCall[] = []
  for (const tool of inOrder(tools.map(({ name }) => name))) {
    const given = Object.entries(calls[tool]?.(writtenId) ?? {}).flatMap(([key, value]) => [
      "--tool-arg",
      `${key}=${value}`,
    ])
    const { stdout, stderr, code } = await inspect("tools/call", "--tool-name", tool, ...given)
    const answer: Answer = code === 0 ? JSON.parse(stdout) : { isError: true, content: [{ text: stderr }] }
    if (tool === "memory_write" || tool === "memory_promote") writtenId = answer.structuredContent?.id ?? ""
    inspected.push({ tool, isAnswered: answer.isError !== true, answer: answer.content?.[0]?.text ?? "" })
  }
  return { schemaBytes: Buffer.byteLength(JSON.stringify(tools)), calls: inspected }
}

/** A tool for which no call is written here comes last and is called with nothing. */
function inOrder(served: readonly string[]): string[] {
  const known = Object.keys(calls)
  return [...known, ...served.filter((tool) => !known.includes(tool))]
}
