import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { quoteLines } from "./health-routes.ts"

const finding = { code: "invalid-field", severity: "error", message: "This is no date." } as const

test("a finding is shown with its source line", () => {
  const root = makeRepository({ ".squad/decisions.md": "# Decisions\r\n\r\n### soon: decision: Use tabs\r\n" })
  const [quoted] = quoteLines(root, [{ ...finding, path: ".squad/decisions.md", line: 3 }])
  expect(quoted?.text).toBe("### soon: decision: Use tabs")
})

test("secrets are not quoted", () => {
  const key = ["-----BEGIN RSA PRIVATE KEY-----", "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLIn", "-----END RSA PRIVATE KEY-----"]
  const root = makeRepository({ "notes.md": ["Ask jane.doe@example.org.", ...key].join("\n") })
  const texts = [1, 2, 3].map((line) => quoteLines(root, [{ ...finding, path: "notes.md", line }])[0]?.text)
  expect(texts[0]).toBe("Ask [email].")
  expect(texts.join()).not.toMatch(/MIIB|jane/)
})

test("nothing is quoted from a file that does not exist or is outside of the repository", () => {
  const root = makeRepository({ "inside.md": "one line" })
  symlinkSync(join(makeRepository({ "outside.md": "of another" }), "outside.md"), join(root, "link.md"))
  const places = [
    { path: "gone.md", line: 1 },
    { path: "link.md", line: 1 },
    { path: "inside.md", line: 9 },
  ]
  expect(
    quoteLines(
      root,
      places.map((place) => ({ ...finding, ...place })),
    ).map(({ text }) => text),
  ).toEqual([null, null, null])
})
