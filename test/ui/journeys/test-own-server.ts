import { expect, test } from "vitest"
import { resets } from "../browse.ts"
import type { TestedApp } from "../tested-app.ts"

export function testOwnServer(app: TestedApp): void {
  test("requests went only to the app's own server, and the content security policy enforces it", async () => {
    const { origin } = new URL(app.ui.url)
    expect(app.visit.asked.length).toBeGreaterThan(100)
    expect(app.visit.asked.filter((address) => new URL(address).origin !== origin)).toEqual([])
    const page = await app.open("/")
    const answer = await page.request.get("/", { maxRetries: resets })
    expect(answer.headers()["content-security-policy"]?.split("; ").sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
    ])
  })
}
