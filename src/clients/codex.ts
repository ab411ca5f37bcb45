import { basename, join } from "node:path"
import type { Client, Machine } from "./client.ts"
import { codexLines } from "./codex-lines.ts"
import { findFiles } from "./find-files.ts"
import { readLines } from "./read-lines.ts"

/** Sessions are `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`; old ones may be compressed, or archived. */
export const codex: Client = {
  id: "codex",
  name: "Codex CLI",
  maturity: "proven",
  find: (machine) => findSessions(machine).map((path) => ({ client: "codex", path })),
  recognises: (path, beginning) =>
    path.endsWith(".zst")
      ? rolloutName.test(basename(path)) && beginning.startsWith(packed)
      : ownRecord.test(beginning),
  read: (transcript, from) => readLines(transcript, from, codexLines),
}

const rolloutName = /^rollout-.{1,200}\.jsonl(?:\.zst)?$/
/** The first bytes of Zstandard, read as text. */
const packed = "(\ufffd/\ufffd"
const ownRecord = /"type":"(?:session_meta|response_item|event_msg|turn_context|world_state)",[^\n]{0,40}"payload":/

function findSessions({ home, environment }: Machine): string[] {
  const folder = environment.CODEX_HOME || join(home, ".codex")
  const found = ["sessions", "archived_sessions"].flatMap((name) =>
    findFiles(join(folder, name), 4, (file) => rolloutName.test(file)),
  )
  return found.sort((one, other) => (basename(one) < basename(other) ? -1 : 1)) // the name starts with the time
}
