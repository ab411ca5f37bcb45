import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { sizeOfTeam } from "./team-size.ts"
import type { LocatedTeam } from "./tool-guards.ts"

const limits = { bytes: 1000, files: 20, waitMs: 0 }

test("a team folder within both limits is small, and other files do not count", () => {
  const team = makeTeam({ "decisions.md": "x".repeat(900), "log/long.md": "x".repeat(5000), "sessions/a/b": "x" })
  expect(sizeOfTeam(team, limits)).toBe("small")
})

test.each([
  "decisions.md",
  "decisions/inbox/a.md",
  "agents/fenster/history.md",
  "memory/index.json",
  "skills/a/SKILL.md",
])("a large %s makes it large", (path) =>
  expect(sizeOfTeam(makeTeam({ [path]: "x".repeat(1001) }), limits)).toBe("large"),
)

test.each(["decisions/inbox", "agents/fenster", "skills", "decisions/deep/er"])(
  "many names in %s crowd it",
  (folder) => {
    const files = Array.from({ length: 30 }, (_, at) => [`${folder}/${at}.md`, ""])
    expect(sizeOfTeam(makeTeam(Object.fromEntries(files)), limits)).toBe("crowded")
  },
)

test("nested folders are walked however deep they are", () => {
  const team = makeTeam({ [`decisions/${"d/".repeat(1200)}a.md`]: "x".repeat(1001) })
  expect(sizeOfTeam(team, { ...limits, files: 2000 })).toBe("large")
})

test("links in a loop are followed once", () => {
  const team = makeTeam({ "decisions/a.md": "" })
  symlinkSync(".", join(team.folder, "decisions/round"))
  symlinkSync("../decisions", join(team.folder, "decisions/back"))
  symlinkSync("nowhere", join(team.folder, "decisions/gone.md"))
  symlinkSync("self", join(team.folder, "decisions/self"))
  expect(sizeOfTeam(team, limits)).toBe("small")
})

function makeTeam(files: Record<string, string>): LocatedTeam {
  const root = mkdtempSync(join(tmpdir(), "drey-size-"))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const folder = join(root, ".squad")
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return { root, folder, folders: [{ name: ".squad", path: folder, home: root }], home: root }
}
