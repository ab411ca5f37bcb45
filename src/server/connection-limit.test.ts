import { once } from "node:events"
import { createServer, get } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { type ConnectionLimits, limitConnections } from "./connection-limit.ts"

/** A server that answers requests with the secret, and never ends the answer to one that asks to wait. */
async function start(limits: Partial<ConnectionLimits> = {}): Promise<number> {
  const server = createServer((request, response) => {
    if (request.headers.authorization !== "secret") return void response.writeHead(401).end()
    letStay(request.socket)
    response.write("in")
    if (request.url !== "/wait") response.end()
  })
  const letStay = limitConnections(server, { most: 5, strangerMs: 60_000, ...limits })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  socket.on("error", () => {}) // it may be cut off, which is what some tests are about
  await once(socket, "connect")
  return socket
}

function ask(port: number, path = "/", authorization = "secret"): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { port, host: "127.0.0.1", path, headers: { authorization }, agent: false }
    const sent = get(options, (answer) => {
      answer.on("error", () => {}) // the test ends first
      answer.once("data", () => resolve(answer.statusCode))
      answer.once("end", () => resolve(answer.statusCode))
    })
    sent.on("error", reject)
    onTestFinished(() => void sent.destroy())
  })
}

test("connections without the secret never block one that has it, however many there are", async () => {
  const port = await start()
  for (let at = 0; at < 20; at++) {
    const socket = await dial(port)
    if (at % 2 === 0) socket.write("GET / HTTP/1.1\r\nHost: x\r\n") // its headers never end
  }
  expect(await ask(port)).toBe(200)
})

test("the oldest connection without the secret is closed first, and one that has sent it stays", async () => {
  const port = await start()
  expect(await ask(port, "/wait")).toBe(200)
  const [oldest, next] = [await dial(port), await dial(port)]
  const isCut = once(oldest, "close")
  for (let at = 0; at < 3; at++) await dial(port)
  await isCut
  expect(next.destroyed).toBe(false)
  expect(await ask(port, "/wait")).toBe(200)
})

test("a connection that does not send the secret in time is closed, also one that was refused", async () => {
  const port = await start({ strangerMs: 30 })
  const idle = await dial(port)
  const refused = await dial(port)
  refused.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n")
  refused.resume()
  idle.resume()
  await Promise.all([once(idle, "close"), once(refused, "close")])
})
