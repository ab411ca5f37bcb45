import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { commandWriter } from "./command-writer.ts"
import { inputOf, said } from "./test-input.ts"

const folder = mkdtempSync(join(tmpdir(), "drey-command-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const input = inputOf([said("we use pnpm here, not npm")], { findings: [{ kind: "explicit_statement", event: 0 }] })
const answer = JSON.stringify({
  ops: [
    {
      op: "ADD",
      kind: "invariant",
      text: "This project uses pnpm, not npm.",
      evidence: { source: "explicit_statement", quote: "pnpm here, not npm" },
    },
  ],
})

/** A program that records its input, call by call, and then does what the test says. */
function program(name: string, body: string): { command: string[]; calls(): { input: string; folder: string }[] } {
  const log = join(folder, `${name}.log`)
  const script = join(folder, `${name}.mjs`)
  writeFileSync(
    script,
    `import { appendFileSync, readFileSync } from "node:fs"
     const input = readFileSync(0, "utf8")
     appendFileSync(${JSON.stringify(log)}, JSON.stringify({ input, folder: process.cwd() }) + "\\n")
     const calls = readFileSync(${JSON.stringify(log)}, "utf8").trim().split("\\n").length
     const answer = ${JSON.stringify(answer)}
     ${body}`,
  )
  const calls = () =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : []
  return { command: [process.execPath, script], calls }
}

function writerOf(command: string[], timeoutMs = 20_000) {
  const waits: number[] = []
  const pause = async (milliseconds: number) => {
    waits.push(milliseconds)
  }
  return { writer: commandWriter({ command, timeoutMs, pause }), waits }
}

test("a command is run once for an episode, with the prompt under the writer's mark, in an empty folder that is removed afterwards", async () => {
  const { command, calls } = program("plain", `console.log("Here you are:\\n\`\`\`json\\n" + answer + "\\n\`\`\`")`)
  const { writer } = writerOf(command)
  expect(writer.id).toMatch(/^command:node/)
  expect(await writer.write(input)).toMatchObject({
    kind: "written",
    operations: [{ op: "ADD", evidence: { source: "explicit_statement" } }],
  })
  const [call, ...more] = calls()
  expect(more).toEqual([])
  expect(call?.input.startsWith("<drey-writer>\n")).toBe(true)
  expect(call?.input).toContain("we use pnpm here, not npm")
  expect(existsSync(call?.folder ?? "")).toBe(false)
})

test("an unreadable answer is requested again once", async () => {
  const { command, calls } = program(
    "stubborn",
    `console.log(calls === 1 ? "Let me think about that." : JSON.stringify({ result: answer }))`,
  )
  expect(await writerOf(command).writer.write(input)).toMatchObject({ kind: "written", operations: [{ op: "ADD" }] })
  expect(calls()).toHaveLength(2)
  expect(calls()[1]?.input).toContain("Your last answer could not be read")
})

test("a busy service is retried after a while", async () => {
  const { command, calls } = program(
    "busy",
    `if (calls < 3) { console.error("API Error: 529 overloaded"); process.exit(1) } console.log(answer)`,
  )
  const { writer, waits } = writerOf(command)
  expect((await writer.write(input)).kind).toBe("written")
  expect(calls()).toHaveLength(3)
  expect(waits).toEqual([2000, 6000])
})

test("a command that fails or is missing leaves the episode for later with the reason", async () => {
  const { command } = program("broken", `console.error("Please log in first."); process.exit(4)`)
  expect(await writerOf(command).writer.write(input)).toMatchObject({
    kind: "later",
    reason: expect.stringMatching(/exited with 4: Please log in first\.$/),
  })
  expect(await writerOf(["/nowhere/agent"]).writer.write(input)).toEqual({
    kind: "later",
    reason: "agent could not be started",
  })
})

test("stopping a command also stops its child processes", async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const { command } = program(
    "parent",
    `const { spawn } = await import("node:child_process")
     spawn(process.execPath, ["-e", "require('node:net').connect(${port}, '127.0.0.1')"], { stdio: "inherit" })
     setInterval(() => {}, 1000)`,
  )
  const stop = new AbortController()
  const writing = writerOf(command).writer.write(input, stop.signal)
  const [grandchild] = (await once(server, "connection")) as [Socket]
  const isGone = once(
    grandchild.on("error", () => {}),
    "close",
  )
  stop.abort()
  expect(await writing).toMatchObject({ kind: "later", reason: expect.stringContaining("was stopped") })
  await isGone // or the test runs out of time
  server.close()
})

test("a command that takes too long leaves the episode for later", async () => {
  const { command } = program("slow", "setInterval(() => {}, 1000)")
  expect(await writerOf(command, 1).writer.write(input)).toMatchObject({
    kind: "later",
    reason: expect.stringContaining("did not answer in time"),
  })
})
