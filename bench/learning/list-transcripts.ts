import { readdirSync } from "node:fs"
import { join } from "node:path"
import { recognizeTranscript } from "../../src/clients/all-clients.ts"
import type { Transcript } from "../../src/clients/client.ts"

/** Every transcript below a folder, recognised by content; other files, such as recorded hook input, are skipped. */
export function listTranscripts(folder: string): Transcript[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/^(?:hook-stdin|metadata|NOTICE|LICENSE)/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .flatMap((path) => recognizeTranscript(path) ?? [])
}
