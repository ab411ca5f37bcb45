import { expect, test } from "vitest"
import { temporaryRunner } from "./shell-command.ts"

test.each([
  ["/home/ines/.npm/_npx/3f1c7a9e52d04b68/node_modules/drey/dist/cli.cjs", "npx"],
  ["C:\\Users\\Ines\\AppData\\Local\\npm-cache\\_npx\\3f1c\\node_modules\\drey\\dist\\cli.cjs", "npx"],
  ["/home/ines/.cache/pnpm/dlx/ab12/19a4/node_modules/.pnpm/drey@0.1.0/node_modules/drey/dist/cli.cjs", "pnpm dlx"],
  ["/tmp/xfs-8d21c0/dlx-4711/node_modules/drey/dist/cli.cjs", "yarn dlx"],
  ["/tmp/bunx-1000-drey@latest/node_modules/drey/dist/cli.cjs", "bunx"],
  ["/usr/lib/node_modules/drey/dist/cli.cjs", undefined],
  ["/work/ferry/node_modules/drey/dist/cli.cjs", undefined],
  ["/home/ines/my_npx/drey/dist/cli.cjs", undefined],
])("%s is a copy of %s", (path, runner) => {
  expect(temporaryRunner(path)).toBe(runner)
})
