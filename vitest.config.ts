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
    maxWorkers: "100%", // by default one core is left idle; on two cores that is half the time
  },
})
