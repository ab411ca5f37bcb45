import { request } from "node:http"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { openDrey } from "../drey.ts"
import type { LoginAnswer } from "../recall/browse/app-api.ts"
import { keyHeader } from "./one-time-login.ts"
import { serveWeb, type WebOptions } from "./web-server.ts"

export type Answered = { status: number; headers: Record<string, string | string[] | undefined>; text: string }

export type Asked = { method?: string; headers?: Record<string, string>; body?: string }

/** For tests: the app's server on its own port, with its own repository. */
export async function openTestWeb(files: Record<string, string> = teamFiles, given: Partial<WebOptions> = {}) {
  const root = makeRepository(files)
  const home = makeRepository({})
  const environment = { HOME: home, DREY_HOME: join(home, ".drey"), DREY_USER: "ines" }
  const told: string[] = []
  const warn = (message: string) => void told.push(message)
  const drey = openDrey({ root, environment, warn, now: () => new Date("2026-03-10T12:00:00Z") })
  const appFolder = join(makeRepository(appFiles), "app")
  const service = await serveWeb({
    drey,
    version: "1.2.3",
    user: "ines",
    port: 0,
    mayMove: false,
    appFolder,
    warn,
    ...given,
  })
  onTestFinished(async () => {
    await service.close()
    await drey.close()
  })
  /** Sends the path unchanged, whatever it contains. */
  const send = (path: string, asked: Asked = {}) => sendRaw(service.port, path, asked)
  const token = new URL(service.url).searchParams.get("token") ?? ""
  const enter = (shown: unknown) =>
    send("/api/login", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(shown) })
  const opened = await send(`/?token=${token}`) // a browser, or a preview of the link, opens the page first: that uses nothing up
  const entered = await enter({ token })
  const { key } = JSON.parse(entered.text) as LoginAnswer
  const askedBy = async (path: string, asked: Asked = {}) =>
    send(path, { ...asked, headers: { [keyHeader]: key, ...asked.headers } })
  const get = async <Body>(path: string): Promise<Body> => {
    const { status, text } = await askedBy(path)
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${text}`)
    return JSON.parse(text)
  }
  const post = async <Body>(path: string, body: object): Promise<{ status: number; body: Body }> => {
    const headers = { "content-type": "application/json" }
    const { status, text } = await askedBy(path, { method: "POST", headers, body: JSON.stringify(body) })
    return { status, body: JSON.parse(text) }
  }
  return { root, environment, told, drey, service, token, opened, entered, enter, key, send, ask: askedBy, get, post }
}

function sendRaw(port: number, path: string, { method = "GET", headers = {}, body }: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (answer) => {
      let text = ""
      answer.setEncoding("utf8")
      answer.on("data", (piece: string) => {
        text += piece
      })
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
      answer.on("error", reject)
    })
    sent.on("error", reject)
    sent.end(body)
  })
}

const appFiles = {
  "secret.txt": "beside the app",
  "app/index.html": "<!doctype html><title>Drey</title>",
  "app/assets/main-4f2a90c1.js": "export {}",
  "app/assets/main-4f2a90c1.js.gz": "gzipped",
}

/** A team of two, with decisions that replace one another, a proposal, a history and a session. */
export const teamFiles = {
  ".squad/team.md": "# Team\n\n| Name | Role |\n|---|---|\n| Kane | Lead |\n| Rook | Tests |\n",
  ".squad/decisions.md": `# Decisions

### 2026-02-01T09:00:00Z: decision: Keep sessions in Redis
**Author:** Kane
**Scope:** team
**Tags:** storage, sessions

Sessions live in Redis for a day.

**Rationale:** It was there already.

---

### 2026-02-20T09:00:00Z: decision: Keep sessions in Postgres
**Author:** Rook
**Scope:** team
**Tags:** storage
**Supersedes:** 2026-02-01T09:00:00Z

Sessions live in the table app_sessions, so that one backup holds all.

**Rationale:** Redis lost them twice.

---

### 2026-02-10T09:00:00Z: directive: Never log tokens
**Author:** Kane
**Scope:** team
**Expires:** 2026-03-01T00:00:00Z

No token is ever written to a log.

---
`,
  ".squad/decisions/inbox/rook-retry.md": `### 2026-03-05T09:00:00Z: decision: Retry uploads three times
**Author:** Rook
**Scope:** team
**Tags:** uploads

An upload is tried three times with a pause in between.

**Rationale:** The network of the lab drops.
`,
  ".squad/agents/kane/history.md": `# History

### 2026-02-05T09:00:00Z: memory: The lab network drops at noon
**Author:** Kane
**Scope:** agent:kane

Uploads at noon fail; an hour later they pass.
`,
  ".squad/agents/rook/history.md": "# History\n",
}
