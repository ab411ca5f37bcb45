import { expect, test } from "vitest"
import { DreyError } from "../../errors.ts"
import { serverAddress } from "./server-address.ts"

test.each([
  ["https://drey.example.com/", "https://drey.example.com"],
  ["https://example.com:8443/drey/", "https://example.com:8443/drey"],
  ["http://localhost:3740", "http://localhost:3740"],
  ["http://127.0.0.1:3740", "http://127.0.0.1:3740"],
  ["http://[::1]:3740", "http://[::1]:3740"],
])("%s is kept as %s", (given, kept) => {
  expect(serverAddress(given, { insecure: false })).toBe(kept)
})

test("a server elsewhere is spoken to in secret, unless the user says otherwise", () => {
  expect(() => serverAddress("http://drey.example.com", { insecure: false })).toThrow("not encrypted")
  expect(() => serverAddress("http://localhost.example.com", { insecure: false })).toThrow("not encrypted")
  expect(serverAddress("http://drey.example.com", { insecure: true })).toBe("http://drey.example.com")
})

test.each([
  "drey",
  "ftp://drey.example.com",
  "https://kim:secret-word@drey.example.com",
  "https://drey.example.com?token=secret-word",
])("%s is refused, and what may be a secret in it not repeated", (given) => {
  let told = ""
  try {
    serverAddress(given, { insecure: false })
  } catch (error) {
    told = error instanceof DreyError ? `${error.message} ${error.hint}` : ""
  }
  expect(told).toMatch(/address/)
  expect(told).not.toContain("secret-word")
})
