import { expect, test } from "vitest"
import { z } from "zod"
import { me } from "../api.ts"
import { askServer } from "./ask-server.ts"
import { problemOf } from "./problem-of.ts"
import { type Fault, startTestServer } from "./test-server.ts"

const question = { method: "GET", path: "/v1/me" } as const

async function askWith(fault: Fault) {
  const server = await startTestServer()
  server.fault = () => fault
  return askServer({ server: server.url, token: "token-of-kim" }, question, me)
}

test("the token is in a header and nowhere else", async () => {
  const server = await startTestServer()
  const answer = await askServer({ server: server.url, token: "token-of-kim" }, question, me)
  expect(answer).toMatchObject({ kind: "answered", value: { member: { name: "Kim" } } })
  expect(server.requests).toEqual([{ method: "GET", path: "/v1/me", token: "token-of-kim" }])
})

test("a redirect is not followed: the token goes to nobody else", async () => {
  const other = await startTestServer()
  const answer = await askWith({ status: 302, headers: { location: `${other.url}/v1/me` } })
  expect(answer).toMatchObject({ kind: "not understood", reason: expect.stringContaining("another address") })
  expect(other.requests).toEqual([])
})

test("what is no team server is told from one", async () => {
  const page = await askWith({ status: 200, headers: { "content-type": "text/html" }, body: "<h1>Welcome</h1>" })
  expect(page).toMatchObject({ kind: "not understood" })
  expect(await askWith({ status: 404, body: "<h1>Not found</h1>" })).toMatchObject({ kind: "not understood" })
  expect(await askWith({ status: 200, body: '{"organisation":{"slug":"acme"}}' })).toMatchObject({
    kind: "not understood",
    reason: expect.stringContaining("organisation.name"),
  })
})

test("an answer without end is not read to its end", async () => {
  const server = await startTestServer()
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

test("a connection that is cut, and one that cannot be made, are told without the address", async () => {
  expect(await askWith("drop")).toEqual({ kind: "unreachable", reason: "the connection was closed" })
  const gone = await startTestServer()
  await gone.close()
  const nobody = await askServer({ server: gone.url, token: "t" }, question, me)
  expect(nobody).toEqual({ kind: "unreachable", reason: "connection refused" })
})

test("a person is told what can be done about it", () => {
  const server = "https://drey.example.com"
  const refused = { kind: "refused", code: "x", reason: "No." } as const
  expect(problemOf({ ...refused, status: 401 }, server).hint).toBe(`Sign in again: drey team login ${server}`)
  expect(problemOf({ ...refused, status: 429, retryAfterMs: 2500 }, server).message).toContain("wait for 3 s")
  expect(problemOf({ ...refused, status: 503 }, server)).toMatchObject({ isOver: false })
  expect(problemOf({ ...refused, status: 403 }, server)).toMatchObject({ isOver: true })
})
