import { describeApp } from "./describe-app.ts"
import { testLooks } from "./journeys/test-looks.ts"
import { testContext } from "./pages/test-context.ts"
import { testOthers } from "./pages/test-others.ts"

describeApp({ entries: 100, memories: 300 }, (app) => {
  testContext(app)
  testOthers(app)
  testLooks(app)
})
