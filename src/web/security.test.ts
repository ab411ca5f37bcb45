import { once } from "node:events"
import { connect } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { keyHeader } from "./one-time-login.ts"
import { openTestWeb } from "./test-web.ts"

test("the link signs in one browser once, and no cookie is set that other ports would get", async () => {
  const { token, opened, entered, enter } = await openTestWeb()
  expect(opened).toMatchObject({ status: 200, text: expect.stringContaining("<title>Drey</title>") })
  expect(entered).toMatchObject({ status: 200, text: expect.stringMatching(/^\{"key":"[\w-]{43}"\}$/) })
  for (const { headers } of [opened, entered]) expect(headers["set-cookie"]).toBeUndefined()
  expect(await enter({ token })).toMatchObject({ status: 401, text: expect.stringContaining("Run drey ui") })
})

test("a wrong token signs in no browser, and does not use up the link", async () => {
  const { service, send, enter } = await openTestWeb()
  for (const shown of [{}, { token: "" }, { token: null }, { token: "wrong" }, { token: ["x"] }, "x", null])
    expect((await enter(shown)).status, JSON.stringify(shown)).toBe(401)
  const body = JSON.stringify({ token: new URL(service.url).searchParams.get("token") })
  const json = { "content-type": "application/json" }
  for (const headers of [
    { ...json, origin: "http://127.0.0.1:1" },
    { ...json, "sec-fetch-site": "same-site" },
    { ...json, host: "evil.example" },
    { "content-type": "text/plain" },
  ])
    expect((await send("/api/login", { method: "POST", headers, body })).status).toBeGreaterThanOrEqual(403)
})

test("the app's files are public, and contain nothing of the repository", async () => {
  const { send } = await openTestWeb()
  for (const path of ["/", "/explorer", "/?token=wrong"])
    expect(await send(path), path).toMatchObject({ status: 200, text: "<!doctype html><title>Drey</title>" })
})

test("the API answers no request without the key, or with a wrong one", async () => {
  const { send, key } = await openTestWeb()
  const wrong: Record<string, string>[] = [
    {},
    { [keyHeader]: `${key}x` },
    { [keyHeader]: "" },
    { cookie: `x-drey-key=${key}` },
    { authorization: `Bearer ${key}` },
  ]
  for (const headers of wrong)
    for (const path of [
      "/api",
      "/api/",
      "/api/about",
      "/api/items",
      "/api/events",
      "/api/nowhere",
      `/api/about?key=${key}`,
    ])
      expect(await send(path, { headers }), path).toMatchObject({
        status: 401,
        text: expect.stringContaining("drey ui"),
      })
})

test("only this machine's own host names are served, which prevents DNS rebinding", async () => {
  const { ask, service } = await openTestWeb()
  const statusFor = async (host: string) => (await ask("/api/about", { headers: { host } })).status
  for (const name of ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
    expect(await statusFor(`${name}:${service.port}`)).toBe(200)
  const foreign = [
    "evil.example",
    `evil.example:${service.port}`,
    "127.0.0.1",
    "127.0.0.1:1",
    `127.0.0.1.evil.example:${service.port}`,
    `localhost.:${service.port}`,
    `0.0.0.0:${service.port}`,
  ]
  for (const host of foreign) expect(await statusFor(host), host).toBe(403)
})

test("requests from other origins and sites are refused, whatever they request", async () => {
  const { ask, service } = await openTestWeb()
  const own = `http://127.0.0.1:${service.port}`
  const statusFor = async (headers: Record<string, string>, path = "/api/about") =>
    (await ask(path, { headers })).status
  expect(await statusFor({ origin: own })).toBe(200)
  expect(await statusFor({ origin: own, "sec-fetch-site": "same-origin" })).toBe(200)
  for (const origin of [
    "https://evil.example",
    "null",
    `http://localhost:${service.port}`,
    "http://127.0.0.1:1",
    own.replace("http", "https"),
  ]) {
    expect(await statusFor({ origin }), origin).toBe(403)
    expect(await statusFor({ origin }, "/"), origin).toBe(403)
  }
  for (const site of ["cross-site", "same-site"]) expect(await statusFor({ "sec-fetch-site": site }), site).toBe(403)
})

test("a change must be JSON, be declared as JSON, and have a reasonable size", async () => {
  const { ask } = await openTestWeb()
  const sent = async (type: string | undefined, body: string) =>
    (await ask("/api/context", { method: "POST", headers: type === undefined ? {} : { "content-type": type }, body }))
      .status
  const body = '{"task":"uploads"}'
  expect(await sent("application/json", body)).toBe(200)
  expect(await sent("application/json; charset=utf-8", body)).toBe(200)
  for (const type of [
    undefined,
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/jsonp",
  ])
    expect(await sent(type, body), String(type)).toBe(415)
  expect(await sent("application/json", "{")).toBe(400)
  expect(await sent("application/json", JSON.stringify({ task: "x".repeat(1024 * 1024) }))).toBe(413)
  expect(
    (await ask("/api/context", { method: "PUT", headers: { "content-type": "application/json" }, body })).status,
  ).toBe(404)
})

test("hundreds of idle connections do not block a signed-in browser or a new one", async () => {
  const { service, ask, send } = await openTestWeb()
  for (let at = 0; at < 300; at++) {
    const socket = connect(service.port, "127.0.0.1")
    onTestFinished(() => void socket.destroy())
    socket.on("error", () => {}) // the server may cut it off
    await once(socket, "connect")
    if (at % 3 === 0) socket.write("GET / HTTP/1.1\r\n") // half a request
  }
  expect((await ask("/api/about")).status).toBe(200)
  expect((await send("/")).status).toBe(200)
})

const traversals = [
  "/../secret.txt",
  "/assets/../../secret.txt",
  "/assets/..%2f..%2fsecret.txt",
  "/%2e%2e/secret.txt",
  "/%2e%2e%2fsecret.txt",
  "/..%5csecret.txt",
  "/assets/..\\..\\secret.txt",
  "/%252e%252e/secret.txt",
  "/....//secret.txt",
  "/.%00./secret.txt",
  "//etc/passwd",
  "/assets//../../../../../../etc/passwd",
  "/%c0%ae%c0%ae/secret.txt",
  "/api/../../secret.txt",
]

test("no spelling of a path leads to a file outside of the app", async () => {
  const { ask } = await openTestWeb()
  for (const path of traversals) {
    const { text, status } = await ask(path)
    expect(text, path).not.toMatch(/beside the app|root:/)
    expect([400, 404].includes(status) || text.includes("<title>Drey</title>"), `${path}: ${status} ${text}`).toBe(true)
  }
})

test("every response forbids what the app does not need, and private responses are not cached", async () => {
  const { ask, send } = await openTestWeb()
  for (const { headers } of [await ask("/api/about"), await ask("/"), await send("/"), await ask("/api/nowhere")]) {
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
    })
    expect(headers["access-control-allow-origin"]).toBeUndefined()
  }
  for (const path of ["/api/about", "/api/nowhere"])
    expect((await ask(path)).headers["cache-control"], path).toBe("no-store")
})

test("assets are cached by the browser and sent compressed; every other address is the app", async () => {
  const { ask } = await openTestWeb()
  const plain = await ask("/assets/main-4f2a90c1.js")
  expect(plain).toMatchObject({ status: 200, text: "export {}" })
  expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable")
  const packed = await ask("/assets/main-4f2a90c1.js", { headers: { "accept-encoding": "gzip" } })
  expect(packed.headers["content-encoding"]).toBe("gzip")
  for (const path of ["/", "/explorer", "/items/sem-4f2a90c1d3e5", "/items/a%2Fb", "/inbox?x=1"])
    expect(await ask(path), path).toMatchObject({ status: 200, text: expect.stringContaining("<title>Drey</title>") })
  expect((await ask("/")).headers["cache-control"]).toBe("no-cache")
  for (const path of ["/assets/gone.js", "/favicon.ico"]) expect((await ask(path)).status, path).toBe(404)
})
