import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The tests in a browser take longest: begun last, they would be all that still runs at the end. */
class BrowserFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isInBrowser = ({ moduleId }: TestSpecification) => moduleId.includes("/test/ui/")
    return [...sorted.filter(isInBrowser), ...sorted.filter((file) => !isInBrowser(file))]
  }
}

export default defineConfig({
  test: {
    include: ["{src,ui,test,bench,scripts}/**/*.test.ts"],
    globalSetup: ["test/build-once.ts"],
    setupFiles: ["test/own-home.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    isolate: false, // no test changes a module: a process for each file, which loads all of them again, is a third of the time
    // By default one core is left idle, on two cores half the time; and many tests wait for another process or for a time-out.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: BrowserFirst },
    retry: 1, // processes and browsers share a machine that may be slow for a moment: what fails twice fails
  },
})
