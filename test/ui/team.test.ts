import { describe } from "vitest"
import { findChromium } from "../../scripts/chromium/find-chromium.ts"
import { testAdmin, testEnd } from "./team/test-admin.ts"
import { testJoining } from "./team/test-joining.ts"
import { testMemories } from "./team/test-memories.ts"
import { testTeamLooks } from "./team/test-team-looks.ts"
import { testedTeam } from "./team/tested-team.ts"

const chromium = findChromium()

// One file, so that the server is started once.
describe.skipIf(chromium === undefined)("the browser app of a team, served by drey team serve", () => {
  const team = testedTeam(chromium ?? "")
  testMemories(team)
  testJoining(team)
  testAdmin(team)
  testTeamLooks(team)
  testEnd(team)
})
