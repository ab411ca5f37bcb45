import { expect, test } from "vitest"
import { memberRoles } from "./roster.ts"

test("roles are read from the column of that name, wherever it is", () => {
  const text =
    "# Team\n\n| Name | Since | Role |\n|---|---|---|\n| **Kane** | May | `Lead` |\n| Rook | June | |\n\n| Agent | Role |\n|--|--|\n| Otto | Tests |\n"
  expect([...memberRoles(text)]).toEqual([
    ["kane", "Lead"],
    ["otto", "Tests"],
  ])
})

test("a table without such a column, or a line that is not a table, gives no role", () => {
  expect(memberRoles("| Name | Job |\n|---|---|\n| Kane | Lead |\n\nKane | Lead").size).toBe(0)
})
