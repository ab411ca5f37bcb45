import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

// What a test opens without saying where Drey's own folder is must not land in that of whoever runs the tests.
const home = mkdtempSync(join(tmpdir(), "drey-home-"))
process.env.DREY_HOME = home
afterAll(() => rmSync(home, { recursive: true, force: true }))
