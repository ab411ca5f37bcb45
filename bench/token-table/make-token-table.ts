import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tokenTableFile } from "../../src/recall/token-count.ts"
import { packTokens } from "./pack-tokens.ts"
import { readVocabulary } from "./read-vocabulary.ts"

/** Writes the table that `boundTokens` counts with: `node scripts/run-ts.mjs bench/token-table/make-token-table.ts`. */

mkdirSync("assets", { recursive: true })
const file = packTokens(readVocabulary())
writeFileSync(join("assets", tokenTableFile), file)
console.log(`assets/${tokenTableFile}: ${file.length} bytes`)
