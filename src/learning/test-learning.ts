import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { type Learning, type LearningOptions, openLearning } from "./learning.ts"

type Options = Pick<LearningOptions, "home" | "writer"> & { name: string }

export type TestLearning = { home: string; root: string; learning: Learning }

/** For tests: learning in a separate project, on a separate machine or that of another test project, where it is nine o'clock. */
export function openTestLearning(on: Partial<Options> = {}): TestLearning {
  const home = on.home ?? realpathSync(mkdtempSync(join(tmpdir(), "drey-learning-")))
  const root = join(home, on.name ?? "shop")
  mkdirSync(join(root, ".squad"), { recursive: true })
  const learning = openLearning({
    home: join(home, ".drey"),
    root,
    owner: "ines",
    writer: on.writer ?? { kind: "rules" },
    machine: { home, environment: {}, platform: "linux" },
    now: () => new Date("2026-03-02T09:00:00Z"),
    warn: () => {},
    mayLearn: () => true,
  })
  onTestFinished(async () => {
    await learning.close()
    rmSync(home, { recursive: true, force: true })
  })
  return { home, root, learning }
}
