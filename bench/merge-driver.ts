import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { makePairs, mergePairs } from "../test/branch-pairs.ts"

/** Merges random pairs of branches by git alone, with `merge=union`, with Drey and in a clone without it: `node scripts/run-ts.mjs bench/merge-driver.ts [pairs]`. */

const pairs = makePairs(Number(process.argv[2] ?? 200), 20_261_115)
const driver = `'${process.execPath}' '${resolve("dist/cli.cjs")}' merge-driver %O %A %B %P`

console.log(
  "| merged by | pairs | entries expected | conflicts | lost | torn or mixed | came back | doubled | seconds |",
)
console.log("|---|---|---|---|---|---|---|---|---|")
for (const way of ["git", "merge=union", "drey", "without drey"] as const) {
  const folder = mkdtempSync(join(tmpdir(), "drey-bench-"))
  const start = performance.now()
  const { conflicts, expected, lost, torn, cameBack, doubled } = mergePairs(folder, way, pairs, driver)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(
    `| ${way} | ${pairs.length} | ${expected} | ${conflicts} | ${lost} | ${torn} | ${cameBack} | ${doubled} | ${seconds} |`,
  )
  rmSync(folder, { recursive: true, force: true })
}
