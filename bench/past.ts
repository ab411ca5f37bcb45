import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { printHistory } from "./past/history.ts"
import { printQuestions } from "./past/questions.ts"
import { printSde } from "./past/sde.ts"
import { fts5 } from "./recall/arm-fts5.ts"
import { minilm } from "./recall/arm-minilm.ts"
import { openVectors } from "./recall/vectors.ts"

/**
 * Finds conversations and commits: `node bench/run.mjs bench/past.ts --sde FOLDER --transcripts FOLDER --questions FILE
 * --commits 50000`. Each option runs a part.
 */
const { values: options } = parseArgs({
  options: {
    sde: { type: "string" },
    transcripts: { type: "string" },
    questions: { type: "string" },
    commits: { type: "string" },
  },
})

const vectors = openVectors(process.env.DREY_BENCH_VECTORS ?? join(resolve(".cache"), "bench-vectors"))
if (options.sde !== undefined) await printSde(options.sde, [fts5, minilm(vectors)])
if (options.transcripts !== undefined && options.questions !== undefined)
  await printQuestions(options.transcripts, options.questions)
if (options.commits !== undefined) await printHistory(Number(options.commits))
