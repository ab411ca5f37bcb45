import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { makeRepository } from "./run-cli.ts"
import { askTeam, ownerToken, serveTeam } from "./team/serve-team.ts"

const idle = 500
const mostSeconds = 45 // the server's limits are 10 s for headers and 30 s for a request; the rest is for a busy machine

test("clients that are slow, leave, send too much or nothing do not block others, and are disconnected in time", async () => {
  const server = await serveTeam(["--data", makeRepository({}), "--log-level", "warn", "--drain", "0"])
  const secret = await ownerToken(server)
  const { port } = new URL(server.url)
  const head = `POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\n`
  const open = (text: string, trickle?: string) => openSocket(Number(port), text, trickle)

  const silent = Array.from({ length: idle }, () => open(""))
  const slowHead = open("GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\n", "X-More: x\r\n")
  const slowBody = open(`${head}Content-Length: 1000\r\n\r\n{`, " ")
  const endless = open(`${head}Transfer-Encoding: chunked\r\n\r\n`)
  sayTooMuch(endless.socket)
  for (let at = 0; at < 20; at++) {
    const gone = open(`${head}Content-Length: 12\r\n\r\n{"q":"tests"`)
    await once(gone.socket, "connect")
    gone.socket.destroy()
  }

  for (let at = 0; at < 10; at++) {
    const began = performance.now()
    expect((await askTeam(server.url, secret, "/v1/search", { q: "payment tests" })).status).toBe(200)
    expect(performance.now() - began).toBeLessThan(5000)
  }
  expect((await endless.ended).text).toContain("413 Payload Too Large")
  expect((await endless.ended).text).toContain('"code":"too-large"')
  for (const each of [slowHead, slowBody, ...silent]) expect((await each.ended).seconds).toBeLessThan(mostSeconds)
  expect((await slowHead.ended).text).toContain("408 Request Timeout")
  expect((await slowBody.ended).text).toMatch(/ 408 /)
  expect((await askTeam(server.url, secret, "/v1/me")).status).toBe(200)
  expect(server.log.filter((line) => line.includes('"a request failed"'))).toEqual([])
  server.child.kill("SIGTERM")
  expect(await server.ended).toBe(0)
}, 120_000)

/** Sends a text, then repeatedly another piece; returns what came back, and after how long the connection ended. */
function openSocket(port: number, text: string, trickle?: string) {
  const socket = connect(port, "127.0.0.1")
  const began = performance.now()
  let answer = ""
  socket.on("data", (data) => {
    answer += data
  })
  socket.on("error", () => {}) // it ends anyway
  socket.write(text)
  const dripping = trickle === undefined ? undefined : setInterval(() => socket.write(trickle), 500)
  onTestFinished(() => void socket.destroy())
  const ended = new Promise<{ text: string; seconds: number }>((resolve) => {
    socket.once("close", () => {
      clearInterval(dripping)
      resolve({ text: answer, seconds: (performance.now() - began) / 1000 })
    })
  })
  return { socket, ended }
}

/** As fast as it is taken. */
function sayTooMuch(socket: Socket): void {
  const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`
  const say = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on("drain", say)
  say()
}
