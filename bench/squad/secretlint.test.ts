import { lintSource } from "@secretlint/core"
import { creator } from "@secretlint/secretlint-rule-preset-recommend"
import { expect, test } from "vitest"
import { detectForbidden } from "../../src/governance/detect-forbidden.ts"
import { canaries } from "../../test/canaries.ts"

test("what secretlint finds, governance finds", async () => {
  const missed: string[] = []
  let found = 0
  for (const shapes of Object.values(canaries)) {
    for (const [shape, make] of Object.entries(shapes)) {
      const text = `We noted this:\n${make()}\n`
      if (!(await secretlintFinds(text))) continue
      found++
      if (detectForbidden(text).length === 0) missed.push(shape)
    }
  }
  expect(missed).toEqual([])
  expect(found).toBeGreaterThan(10)
})

async function secretlintFinds(content: string): Promise<boolean> {
  const { messages } = await lintSource({
    source: { filePath: "/memory.md", ext: ".md", contentType: "text", content },
    options: { config: { rules: [{ id: "preset", rule: creator }] } },
  })
  return messages.length > 0
}
