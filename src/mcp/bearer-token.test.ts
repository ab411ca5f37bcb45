import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { hasBearerToken, readBearerToken } from "./bearer-token.ts"

test("a token is generated once and stored readable only by this user", () => {
  const home = makeHome()
  const { token, path } = readBearerToken(join(home, "drey"), {})
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(readFileSync(path ?? "", "utf8")).toBe(`${token}\n`)
  expect(statSync(path ?? "").mode & 0o777).toBe(0o600)
  expect(readBearerToken(join(home, "drey"), {})).toEqual({ token, path })
})

test("a token that others could read gets private permissions", () => {
  const home = makeHome()
  writeFileSync(join(home, "mcp-token"), "0123456789abcdef0123\n")
  chmodSync(join(home, "mcp-token"), 0o644)
  expect(readBearerToken(home, {}).token).toBe("0123456789abcdef0123")
  expect(statSync(join(home, "mcp-token")).mode & 0o777).toBe(0o600)
})

test("the environment's token comes first, and no file is created", () => {
  const home = makeHome()
  const environment = { DREY_MCP_TOKEN: "abcdefghijklmnop" }
  expect(readBearerToken(join(home, "drey"), environment)).toEqual({ token: "abcdefghijklmnop", path: undefined })
  expect(() => statSync(join(home, "drey"))).toThrow()
})

test("a weak token is refused", () => {
  expect(() => readBearerToken(makeHome(), { DREY_MCP_TOKEN: "short" })).toThrow("DREY_MCP_TOKEN is not a valid token")
  const home = makeHome()
  writeFileSync(join(home, "mcp-token"), "\n")
  expect(() => readBearerToken(home, {})).toThrow("is not a valid token")
})

test("only a header with the whole token is accepted", () => {
  const token = "0123456789abcdef"
  for (const header of [`Bearer ${token}`, `bearer  ${token} `]) expect(hasBearerToken(header, token)).toBe(true)
  const wrong = [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    token,
    `Basic ${token}`,
    `Bearer ${token}0`,
    "Bearer 0123456789abcde",
  ]
  for (const header of wrong) expect(hasBearerToken(header, token)).toBe(false)
})

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), "drey-token-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}
