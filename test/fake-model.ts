import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text as readAll } from "node:stream/consumers"

/** What the model does when it is called. */
export type FakeAnswer =
  | { text: string; finish?: "stop" | "length" | "filter" }
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { silence: true }

export type FakeRequest = { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }

export type FakeModel = {
  /** Without a path; a provider's own (`/v1`) is up to the test. */
  url: string
  requests: FakeRequest[]
  close(): Promise<void>
}

/** For tests: a language model on loopback with OpenAI's, Anthropic's and Google's API that gives the scripted answers, in order. */
export async function startFakeModel(...answers: FakeAnswer[]): Promise<FakeModel> {
  const requests: FakeRequest[] = []
  const server = createServer(async (request, response) => {
    const path = request.url ?? ""
    requests.push({ path, headers: request.headers, body: JSON.parse(await readAll(request)) })
    const answer = answers[requests.length - 1] ?? {
      status: 418,
      body: { error: { message: "nothing left to answer" } },
    }
    if ("silence" in answer) return
    if ("status" in answer)
      send(response, answer.status, answer.body ?? { error: { message: "scripted" } }, answer.headers)
    else send(response, 200, spoken(path, answer.text, answer.finish ?? "stop"))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections() // those that were left in silence
      }),
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
}

type Finish = "stop" | "length" | "filter"

function spoken(path: string, text: string, finish: Finish): unknown {
  if (path.endsWith("/messages")) return asAnthropic(text, finish)
  return path.endsWith(":generateContent") ? asGoogle(text, finish) : asOpenAi(text, finish)
}

function asOpenAi(text: string, finish: Finish): unknown {
  const reason = { stop: "stop", length: "length", filter: "content_filter" }[finish]
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "fake",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: reason }],
    usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
  }
}

function asAnthropic(text: string, finish: Finish): unknown {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "fake",
    content: [{ type: "text", text }],
    stop_reason: { stop: "end_turn", length: "max_tokens", filter: "refusal" }[finish],
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 10 },
  }
}

function asGoogle(text: string, finish: Finish): unknown {
  const finishReason = { stop: "STOP", length: "MAX_TOKENS", filter: "SAFETY" }[finish]
  return {
    candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason, index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
  }
}
