import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["{src,ui,test,test-long,bench,scripts}/**/*.test.ts"],
    globalSetup: ["test/build-once.ts"],
    setupFiles: ["test/own-home.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    isolate: false, // no test changes a module: a process for each file, which loads all of them again, is a third of the time
    // By default one core is left idle, on two cores half the time; and many tests wait for another process or for a time-out.
    maxWorkers: availableParallelism() + 1,
  },
})
