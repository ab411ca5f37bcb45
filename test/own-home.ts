import { randomUUID } from "node:crypto"
import { mkdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { agentMarkers } from "../src/hooks/acting-agent.ts"

// A test that opens Drey without a home must not write to the home of the user who runs the tests.
// Tests are run by people and by coding agents, whose marks would turn every command into an agent's.
for (const name of [...agentMarkers.flatMap(([, names]) => names), "AI_AGENT", "AGENT", "DREY_AGENT"])
  delete process.env[name]

const home = join(tmpdir(), `drey-home-${randomUUID().slice(0, 8)}`)
process.env.DREY_HOME = home
beforeAll(() => void mkdirSync(home, { mode: 0o700 })) // not for a file whose tests are all skipped: nothing would remove it
afterAll(() => rmSync(home, { recursive: true, force: true }))
