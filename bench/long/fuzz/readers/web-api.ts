import { Agent } from "node:http"
import { openDrey } from "../../../../src/drey.ts"
import { keyHeader } from "../../../../src/web/one-time-login.ts"
import { serveWeb } from "../../../../src/web/web-server.ts"
import { enter } from "../../../../test/ui/browse.ts"
import { expectThat, type Reader } from "../reader.ts"
import { makeFuzzProject } from "./fuzz-project.ts"
import { sendRequest } from "./send-request.ts"

const json = "content-type: application/json\n\n"

/** The browser app's HTTP API, asked by one who has come in. */
export const webApi: Reader = {
  name: "web-api",
  share: 10,
  patience: 3000,
  largest: 0,
  examples: () => [
    "GET /api/items?q=type:decision%20redis&offset=0&limit=20\n\n",
    "GET /api/items/sem-0123456789ab\n\n",
    "GET /api/timeline?q=\n\n",
    "GET /api/agents/kane\n\n",
    "GET /api/sessions/20260302-080509-0a1b2c3d-prices\n\n",
    "GET /api/health/audit?limit=10\n\n",
    "GET /api/overview\n\n",
    "GET /assets/../index.html\n\n",
    `POST /api/context\n${json}{"task":"sessions in redis","agent":"kane","paths":["src/a.ts"],"budget":500}`,
    `POST /api/items/sem-0123456789ab/edit\n${json}{"version":"v","title":"Keep","markdown":"x","tags":["a"]}`,
    `POST /api/items/sem-0123456789ab/forget\n${json}{"version":"v","reason":"old"}`,
    `POST /api/inbox/rook-retry.md/accept\n${json}{"version":"v","title":"Retry","markdown":"x"}`,
    `POST /api/undo\n${json}{"key":"k"}`,
  ],
  grammar: {
    text: ["GET <path>?<search>\n\n", "POST <path>\ncontent-type: application/json\n\n<body>", "GET <path>\n\n"],
    path: ["/api/<name>", "/api/<name>/<id>", "/api/<name>/<id>/<name>", "/<name>", "/"],
    name: [
      "items",
      "inbox",
      "undo",
      "context",
      "sessions",
      "agents",
      "health",
      "timeline",
      "overview",
      "about",
      "edit",
      "accept",
      "refuse",
      "pin",
      "x",
    ],
    id: [
      "sem-0123456789ab",
      "kane",
      "rook-retry.md",
      "..%2f..%2fetc%2fpasswd",
      "%00",
      "%ff",
      "__proto__",
      "constructor",
      "m-0123456789abcdef",
      "1",
    ],
    search: ["q=<value>&<search>", "limit=<number>&<search>", "offset=<number>", "q=<value>"],
    value: ["type:decision", "%22never", "-tag:x%20redis", "%e2%80%ae", "%", "after:2026-02-30", "x"],
    body: ['{"version":<json>,"title":<json>,"markdown":<json>}', '{"task":<json>,"budget":<number>}', "<json>"],
    json: ['"<word>"', "<number>", "null", "[<json>,<json>]", '{"__proto__":<json>}', '""'],
  },
  async open() {
    const project = makeFuzzProject()
    const told: string[] = []
    const warn = (message: string) => void told.push(message)
    const { root, environment } = project
    const drey = openDrey({ root, environment, warn, now: () => new Date("2026-03-10T12:00:00Z") })
    const service = await serveWeb({
      drey,
      version: "1",
      user: "ines",
      port: 0,
      mayMove: false,
      appFolder: project.app,
      warn,
    })
    const agent = new Agent({ keepAlive: true })
    const key = await enter(service.url)
    return {
      async read(input) {
        told.length = 0
        const answered = await sendRequest(service.port, input.toString("utf8"), { [keyHeader]: key }, agent)
        expectThat(told.length === 0, `nothing goes wrong inside: ${told[0]}`)
        expectThat((answered?.status ?? 0) < 500, `no answer is ${answered?.status}`)
        return undefined
      },
      async close() {
        agent.destroy()
        await service.close()
        await drey.close()
        project.check()
        project.remove()
      },
    }
  },
}
