import { expect, test } from "vitest"
import { openTeam } from "../../test/team-store.ts"
import { agentKey } from "../formats/agent-key.ts"

test("case, spaces and the way an accent is written make no other agent", () => {
  expect(agentKey(" Jos\u00e9  Doe ")).toBe("jos\u00e9-doe")
  expect(agentKey("JOSE\u0301 DOE")).toBe("jos\u00e9-doe")
  expect([agentKey(" "), agentKey("*"), agentKey(undefined)]).toEqual([undefined, undefined, undefined])
})

test.each(["Jos\u00e9", "Jose\u0301"])(
  "an agent finds its history whichever way its folder's accent is written: %j",
  async (folder) => {
    const { drey } = openTeam({
      [`.squad/agents/${folder}/history.md`]: "# Learnings\n\n- 2026-02-03: The scheduler drops jobs at midnight\n",
    })
    for (const agent of ["Jos\u00e9", "jose\u0301"]) {
      const { context } = await drey.context.build({ agent, task: "The scheduler drops jobs at midnight" })
      expect(context.included).toHaveLength(1)
    }
  },
)
