import { chmodSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { makeRepository } from "../../../test/run-cli.ts"
import { findWriters, offerServer } from "./writer-offers.ts"

/** A server that lists these models, and its port. */
async function serve(...models: string[]): Promise<number> {
  const server = createServer((_, response) => response.end(JSON.stringify({ data: models.map((id) => ({ id })) })))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

function machineWith(environment: NodeJS.ProcessEnv, ...programs: string[]) {
  const folder = makeRepository(Object.fromEntries(programs.map((name) => [name, "#!/bin/sh\n"])))
  for (const name of programs) chmodSync(join(folder, name), 0o755)
  return { home: folder, environment: { PATH: folder, ...environment }, platform: "linux" } as const
}

test("what is on the machine is offered, what is free first, with its cost and who reads", async () => {
  const port = await serve("nomic-embed-text", "qwen3:8b")
  const environment = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: " ", OLLAMA_HOST: `127.0.0.1:${port}` }
  const offers = await findWriters(machineWith(environment, "claude", "gemini"))
  const ours = offers.filter(({ name }) => name !== "lmstudio") // one may run on the developer's machine
  expect(ours.map(({ name, cost, reader }) => [name, cost, reader])).toEqual([
    ["rules", "free", undefined],
    ["ollama", "free", undefined],
    ["claude", "one request of about 3,000 tokens from your plan", "Anthropic"],
    ["gemini", "one request of about 3,000 tokens from your plan", "Google"],
    ["openai", "about $0.001, so $0.14 for 100 tasks", "OpenAI"],
  ])
  expect(ours.map(({ settings }) => settings)).toMatchObject([
    { kind: "rules" },
    { kind: "model", provider: "openai-compatible", model: "qwen3:8b", baseUrl: `http://127.0.0.1:${port}/v1` },
    { kind: "command", command: ["claude", "-p"] },
    { kind: "command" },
    { kind: "model", provider: "openai" },
  ])
})

test("nothing outside of this machine is asked: another host in OLLAMA_HOST is not", async () => {
  const offers = await findWriters(machineWith({ OLLAMA_HOST: "http://ollama.example:11434" }))
  expect(JSON.stringify(offers)).not.toContain("ollama.example")
})

test("a server is offered by its URL, with its first model or the one that is named", async () => {
  const url = `http://127.0.0.1:${await serve("first", "second")}/v1/`
  expect(await offerServer(url)).toMatchObject({ settings: { model: "first" }, cost: "free", reader: undefined })
  expect(await offerServer(url, "second")).toMatchObject({ settings: { model: "second" } })
  expect(await offerServer("https://models.example/v1", "big")).toMatchObject({ reader: "models.example" })
  await expect(offerServer(`http://127.0.0.1:${await serve()}/v1`)).rejects.toThrow("does not list a model")
})
