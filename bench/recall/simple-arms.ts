import type { Arm } from "./arm.ts"
import { fts5 } from "./arm-fts5.ts"
import { plainSum, rankFusion, scoreSum } from "./arm-fused.ts"
import { grep } from "./arm-grep.ts"
import { minilm } from "./arm-minilm.ts"
import { miniSearch } from "./arm-minisearch.ts"
import type { Vectors } from "./vectors.ts"

/** What anybody would build in an afternoon; Drey has to be better than the best of them. */
export function simpleArms(vectors: Vectors): Arm[] {
  const meaning = minilm(vectors)
  return [
    fts5,
    meaning,
    plainSum(fts5, meaning),
    scoreSum(fts5, meaning, 1),
    scoreSum(fts5, meaning, 0.5),
    rankFusion(fts5, meaning),
    miniSearch,
    grep,
  ]
}
