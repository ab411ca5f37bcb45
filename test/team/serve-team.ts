import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { onTestFinished } from "vitest"
import { cliPath, environmentOf } from "../run-cli.ts"

export type ServedTeam = {
  url: string
  /** Where an organisation was made. */
  ownerLink: string | null
  child: ChildProcess
  log: string[]
  /** Its exit code; null when a signal ended it. */
  ended: Promise<number | null>
}

/** The built `drey team serve` on a free port, once it says where it serves; it goes with the test. */
export async function serveTeam(args: readonly string[], env: Record<string, string> = {}): Promise<ServedTeam> {
  const child = spawn(process.execPath, [cliPath, "team", "serve", "--listen", "127.0.0.1:0", "--json", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: environmentOf(env),
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const log: string[] = []
  createInterface({ input: child.stderr }).on("line", (line) => log.push(line))
  const ended = once(child, "exit").then(([code]) => code as number | null)
  let told = ""
  const ready = await new Promise<Pick<ServedTeam, "url" | "ownerLink">>((resolve, reject) => {
    child.stdout.on("data", (data: Buffer) => {
      told += data
      if (told.trimEnd().endsWith("}")) resolve(JSON.parse(told))
    })
    void ended.then((code) => reject(new Error(`it ended with ${code}: ${log.join("\n")}`)))
  })
  return { ...ready, child, log, ended }
}

/** Comes in by the owner's link and makes a token that may do everything. */
export function ownerToken({ url, ownerLink }: Pick<ServedTeam, "url" | "ownerLink">): Promise<string> {
  return tokenBy(url, ownerLink, "Kim", ["read", "write", "admin"])
}

/** The token of a member whom the owner invites: the uses of a memory count only when they are not its sharer's. */
export async function memberToken(url: string, owner: string): Promise<string> {
  const invited = await askTeam(url, owner, "/v1/invitations", { email: "ada@acme.test", role: "member", teams: [] })
  return tokenBy(url, ((await invited.json()) as { link: string }).link, "Ada", ["read", "write"])
}

async function tokenBy(url: string, link: string | null, name: string, scopes: string[]): Promise<string> {
  const json = { "content-type": "application/json" }
  const joined = await fetch(`${url}/v1/sign-in/link`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ token: link?.split("#")[1], name }),
  })
  const cookie = joined.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const body = JSON.stringify({ name: "test", scopes })
  const made = await fetch(`${url}/v1/tokens`, { method: "POST", headers: { ...json, cookie, origin: url }, body })
  return ((await made.json()) as { secret: string }).secret
}

/** Sends a request with the token: with a body it is a POST. */
export function askTeam(url: string, secret: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}
