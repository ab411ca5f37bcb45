import type { Reporter, TestModule } from "vitest/node"

/** Prints the ten slowest test files after each run: the next to be made faster. */
export const slowestFiles: Reporter = {
  onTestRunEnd(modules) {
    const slowest = modules
      .map((each) => ({ path: each.relativeModuleId, seconds: secondsOf(each) }))
      .toSorted((one, other) => other.seconds - one.seconds)
      .slice(0, 10)
    if (modules.length < 2) return
    console.log(
      [
        "",
        "Slowest files:",
        ...slowest.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}`),
      ].join("\n"),
    )
  },
}

function secondsOf(module: TestModule): number {
  const { collectDuration, setupDuration, duration } = module.diagnostic()
  return (collectDuration + setupDuration + duration) / 1000
}
