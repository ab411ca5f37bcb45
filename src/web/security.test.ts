import { expect, test } from "vitest"
import { openTestWeb } from "./test-web.ts"

test("the link lets in one browser once, and its cookie is for the app alone", async () => {
  const { link, announced, entered, send, ask } = await openTestWeb()
  expect(announced).toMatchObject({ status: 401, text: "" })
  expect(entered.status).toBe(200)
  expect(String(entered.headers["set-cookie"])).toMatch(/^drey-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
  expect(entered.text).toContain('content="0;url=/"')
  const second = await send(link)
  expect(second).toMatchObject({ status: 401, text: expect.stringContaining("Run <code>drey ui</code> again") })
  expect(second.headers["set-cookie"]).toBeUndefined()
  expect(await ask(link)).toMatchObject({ status: 200 }) // whoever is inside may use the old link
})

test("without the cookie a page shows only how to come in", async () => {
  const { send } = await openTestWeb()
  for (const path of ["/?token=", "/?token=wrong", "/", "/explorer", "/assets/main-4f2a90c1.js"])
    expect(await send(path), path).toMatchObject({ status: 401, text: expect.stringContaining("no longer valid") })
})

test("the API answers nobody without the cookie, or with a wrong one", async () => {
  const { send, cookie } = await openTestWeb()
  for (const headers of [
    {},
    { cookie: `${cookie}x` },
    { cookie: cookie.replace(/=.*/, "=") },
    { cookie: "drey-1=a" },
  ]) {
    for (const path of ["/api/about", "/api/items", "/api/events", "/api/nowhere"])
      expect(await send(path, { headers }), path).toMatchObject({
        status: 401,
        text: expect.stringContaining("drey ui"),
      })
  }
})

test("only this machine's own names are served, so that no other name can be made to lead here", async () => {
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

test("requests from other origins and sites are refused, whatever they ask for", async () => {
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

test("a change must be JSON, said to be JSON, and of a sane size", async () => {
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

test("every answer forbids what the app does not need, and what is private is not kept", async () => {
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
  expect((await send("/")).headers["cache-control"]).toBe("no-store")
})

test("assets are kept by the browser and sent packed; every other address is the app", async () => {
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
