import { describeApp } from "./describe-app.ts"
import { testLive } from "./journeys/test-live.ts"
import { testExplorer } from "./pages/test-explorer.ts"
import { testOverview } from "./pages/test-overview.ts"
import { testTimeline } from "./pages/test-timeline.ts"

// What has to hold among 12,000 items; all else is tested with fewer, which load in half the time.
describeApp({ entries: 2_000, memories: 10_000 }, (app, executablePath) => {
  testOverview(app)
  testTimeline(app)
  testExplorer(app)
  testLive(app, executablePath)
})
