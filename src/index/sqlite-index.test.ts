import { onTestFinished } from "vitest"
import { testIndex } from "./index-contract.ts"
import { sqliteIndex } from "./sqlite-index.ts"
import { newIndexPath } from "./test-index-path.ts"
import { testEmbedder } from "./test-items.ts"

testIndex("sqlite", async () => {
  const index = await sqliteIndex(newIndexPath(), { embedder: testEmbedder, minilm: "deep-1" })
  onTestFinished(() => index.close())
  return index
})
