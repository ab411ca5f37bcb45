import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { agentMarkers } from "../src/agent.ts"

// What a test opens without saying where Drey's own folder is must not land in that of whoever runs the tests.
// Tests are run by people and by coding agents, whose marks would turn every command into an agent's.
for (const name of [...agentMarkers.flatMap(([, names]) => names), "AI_AGENT", "AGENT", "DREY_AGENT"])
  delete process.env[name]

const home = mkdtempSync(join(tmpdir(), "drey-home-"))
process.env.DREY_HOME = home
afterAll(() => rmSync(home, { recursive: true, force: true }))
