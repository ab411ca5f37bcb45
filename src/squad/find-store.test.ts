import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { findStore } from "./find-store.ts"

const home = "/home/ines/.drey"

test("the nearest team folder or git repository upwards is the root", () => {
  const root = makeRepository({ ".squad/team.md": "", "app/.git/HEAD": "", "app/src/index.ts": "" })
  expect(findStore(join(root, "app/src"), home)).toEqual({ root: join(root, "app"), home, folders: [] })
  expect(findStore(root, home)).toMatchObject({ root, folders: [{ name: ".squad", home }] })
})

test("sessions of an orchestrator mark a root only where nothing else does", () => {
  const root = makeRepository({ ".rawko/config.yaml": "", "src/index.ts": "" })
  expect(findStore(join(root, "src"), home)).toEqual({ root, home, folders: [] })
  const team = makeRepository({ ".squad/team.md": "", "app/.rawko/config.yaml": "" })
  expect(findStore(join(team, "app"), home).root).toBe(team)
})
