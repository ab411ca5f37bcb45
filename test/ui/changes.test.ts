import { describeApp } from "./describe-app.ts"
import { testKeyboard } from "./journeys/test-keyboard.ts"
import { testDetail } from "./pages/test-detail.ts"
import { testInbox } from "./pages/test-inbox.ts"

describeApp({ entries: 100, memories: 300 }, (app) => {
  testDetail(app)
  testInbox(app)
  testKeyboard(app)
})
