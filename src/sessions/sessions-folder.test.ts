import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { makeSessions, readIn, writeIn } from "./test-sessions.ts"

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

test.skipIf(process.platform === "win32")(
  "a session that another tool made is private from the first write on",
  async () => {
    const { sessions } = makeSessions()
    const session = await sessions.start({ task: "Read the feed", agent: "developer" })
    rmSync(join(dirname(session.folder), ".gitignore"))
    writeIn(session, "notes.txt", "theirs")
    chmodSync(session.folder, 0o755)
    for (const name of ["agent-memory.yaml", "context.yaml", "notes.txt"]) chmodSync(join(session.folder, name), 0o644)
    await session.memories()
    expect(modeOf(session.folder)).toBe("755")

    await session.addMessage({ role: "user", content: "Go on" })
    expect(modeOf(session.folder)).toBe("700")
    for (const name of ["agent-memory.yaml", "context.yaml", "conversation.yaml", "notes.txt"])
      expect(modeOf(join(session.folder, name))).toBe("600")
    expect(readIn(session, ".gitignore")).toBe("*\n")
  },
)

test("where the folder above ignores all, a session needs no file of its own for it, else it gets one", async () => {
  const { sessions } = makeSessions()
  const session = await sessions.start({ task: "Read the feed", agent: "developer" })
  const above = join(dirname(session.folder), ".gitignore")
  await session.addMessage({ role: "user", content: "Go on" })
  expect(existsSync(join(session.folder, ".gitignore"))).toBe(false)
  writeFileSync(above, "*.log\n")
  await session.addMessage({ role: "user", content: "Go on" })
  expect(readIn(session, ".gitignore")).toBe("*\n")
})
