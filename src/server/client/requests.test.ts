import { expect, test } from "vitest"
import { z } from "zod"
import { DreyError } from "../../errors.ts"
import { me } from "../api.ts"
import { askServer, problemOf, serverAddress } from "./requests.ts"
import { type Fault, startFakeTeamServer } from "./test-server.ts"

const question = { method: "GET", path: "/v1/me" } as const

async function askWith(fault: Fault) {
  const server = await startFakeTeamServer()
  server.fault = () => fault
  return askServer({ server: server.url, token: "token-of-kim" }, question, me)
}

test("the token is only in a header", async () => {
  const server = await startFakeTeamServer()
  const answer = await askServer({ server: server.url, token: "token-of-kim" }, question, me)
  expect(answer).toMatchObject({ kind: "answered", value: { member: { name: "Kim" } } })
  expect(server.requests).toEqual([{ method: "GET", path: "/v1/me", token: "token-of-kim" }])
})

test("a redirect is not followed, so the token is sent to no other host", async () => {
  const other = await startFakeTeamServer()
  const answer = await askWith({ status: 302, headers: { location: `${other.url}/v1/me` } })
  expect(answer).toMatchObject({ kind: "not understood", reason: expect.stringContaining("another address") })
  expect(other.requests).toEqual([])
})

test("a server that is not a team server is recognised", async () => {
  const page = await askWith({ status: 200, headers: { "content-type": "text/html" }, body: "<h1>Welcome</h1>" })
  expect(page).toMatchObject({ kind: "not understood" })
  expect(await askWith({ status: 404, body: "<h1>Not found</h1>" })).toMatchObject({ kind: "not understood" })
  expect(await askWith({ status: 200, body: '{"organisation":{"slug":"acme"}}' })).toMatchObject({
    kind: "not understood",
    reason: expect.stringContaining("organisation.name"),
  })
})

test("a response without end is not read to its end", async () => {
  const server = await startFakeTeamServer()
  server.fault = () => ({ status: 200, body: `"${"x".repeat(17 * 1024 * 1024)}"` })
  const answer = await askServer({ server: server.url, token: "t" }, question, z.string())
  expect(answer).toEqual({ kind: "not understood", reason: "its response is too large" })
})

test.each([
  ["120", 120_000],
  [new Date(Date.now() + 3_600_000).toUTCString(), 3_600_000],
])("a server that asks to wait says how long: %s", async (header, ms) => {
  const answer = await askWith({ status: 429, headers: { "retry-after": header } })
  const waited = answer.kind === "refused" ? (answer.retryAfterMs ?? 0) : 0
  expect(Math.abs(waited - ms)).toBeLessThan(60_000)
})

test("a connection that is cut, and one that cannot be made, are reported without the address", async () => {
  expect(await askWith("drop")).toEqual({ kind: "unreachable", reason: "the connection was closed" })
  const gone = await startFakeTeamServer()
  await gone.close()
  const nobody = await askServer({ server: gone.url, token: "t" }, question, me)
  expect(nobody).toEqual({ kind: "unreachable", reason: "connection refused" })
})

test("the user gets a hint on what to do", () => {
  const server = "https://drey.example.com"
  const refused = { kind: "refused", code: "x", reason: "No." } as const
  expect(problemOf({ ...refused, status: 401 }, server).hint).toBe(`Sign in again: drey team login ${server}`)
  expect(problemOf({ ...refused, status: 429, retryAfterMs: 2500 }, server).message).toContain("wait for 3 s")
  expect(problemOf({ ...refused, status: 503 }, server)).toMatchObject({ isOver: false })
  expect(problemOf({ ...refused, status: 403 }, server)).toMatchObject({ isOver: true })
})

test.each([
  ["https://drey.example.com/", "https://drey.example.com"],
  ["https://example.com:8443/drey/", "https://example.com:8443/drey"],
  ["http://localhost:3740", "http://localhost:3740"],
  ["http://127.0.0.1:3740", "http://127.0.0.1:3740"],
  ["http://[::1]:3740", "http://[::1]:3740"],
])("%s is stored as %s", (given, kept) => {
  expect(serverAddress(given, { insecure: false })).toBe(kept)
})

test("a remote server requires encryption, unless the user allows otherwise", () => {
  expect(() => serverAddress("http://drey.example.com", { insecure: false })).toThrow("not encrypted")
  expect(() => serverAddress("http://localhost.example.com", { insecure: false })).toThrow("not encrypted")
  expect(serverAddress("http://drey.example.com", { insecure: true })).toBe("http://drey.example.com")
})

test.each([
  "drey",
  "ftp://drey.example.com",
  "https://kim:secret-word@drey.example.com",
  "https://drey.example.com?token=secret-word",
])("%s is refused without repeating a possible secret in it", (given) => {
  let told = ""
  try {
    serverAddress(given, { insecure: false })
  } catch (error) {
    told = error instanceof DreyError ? `${error.message} ${error.hint}` : ""
  }
  expect(told).toMatch(/address/)
  expect(told).not.toContain("secret-word")
})
