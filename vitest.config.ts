import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { slowestFiles } from "./test/slowest-files.ts"

/** What a test imports to start a process: a program, the built CLI, a database server. Such a test is not for the inner loop. */
const startsProcesses =
  /from "(?:node:child_process|.*\/(?:start-child|start-postgres|test-team-server|test-repository)\.ts)"/

const [unit, system]: [string[], string[]] = [[], []]
for (const path of ["src", "ui", "vscode", "bench", "scripts"].flatMap(testsIn))
  (startsProcesses.test(readFileSync(path, "utf8")) ? system : unit).push(path)

function testsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts") && !path.includes("node_modules"))
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
}

/**
 * The tests in a browser take longest: begun last, they would be all that still runs at the end. The tests of one project stay together,
 * because a worker serves one project.
 */
class BrowserFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) =>
      /\/test\/(?:ui|web)\//.test(moduleId) ? 0 : project.name === "system" ? 1 : 2
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

const shared = {
  setupFiles: ["test/own-home.ts"],
  testTimeout: 60_000,
  hookTimeout: 120_000,
  pool: "forks",
  isolate: false, // no test changes a module: a process for each file, which loads all of them again, is a third of the time
} as const

export default defineConfig({
  test: {
    globalSetup: ["test/own-temporary-folder.ts"],
    reporters: ["default", slowestFiles],
    // By default one core is left idle, on two cores half the time; and many tests wait for another process or for a time-out.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: BrowserFirst },
    retry: 0,
    projects: [
      { test: { ...shared, name: "unit", include: [...unit, "test/{architecture,wording}.test.ts"] } },
      {
        test: {
          ...shared,
          name: "system",
          globalSetup: ["test/build-once.ts"],
          include: [...system, "test/**/*.test.ts"],
          exclude: ["test/{architecture,wording}.test.ts"],
        },
      },
    ],
  },
})
