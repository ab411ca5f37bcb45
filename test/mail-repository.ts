import { rmSync } from "node:fs"
import { join } from "node:path"
import { makeRepository, source } from "../src/memories/staleness/test-repository.ts"
import { semEntry } from "./legacy-fixtures.ts"

export const mailDecisions = `# Decisions

${semEntry("2026-02-10T09:00:00Z", "decision", "Retry mails with growing pauses", {
  details:
    "The mail queue in `src/mail/queue.ts` asks `nextPause()`; `src/mail/limits.ts` has the limits. `npm run mails` sends what waits.",
})}
${semEntry("2026-02-11T09:00:00Z", "directive", "Mails are sent by the queue alone", { details: "See `src/mail/send.ts`." })}
`

/** A repository in which, since its entries were written, a file was renamed, one deleted, and a function and a script with them. */
export function makeMailRepository() {
  const repository = makeRepository()
  const { root, git, write, commit } = repository
  write({
    ".squad/decisions.md": mailDecisions,
    "package.json": '{ "scripts": { "mails": "node send.mjs" } }',
    "src/mail/queue.ts": `${source("queue")}export function nextPause() {}\n`,
    "src/mail/limits.ts": source("limit"),
    "src/mail/send.ts": source("send"),
  })
  commit("2026-02-09")
  git("mv", "src/mail/queue.ts", "src/mail/retry.ts")
  write({ "src/mail/retry.ts": source("queue"), "package.json": "{}" })
  rmSync(join(root, "src/mail/limits.ts"))
  commit("2026-02-14")
  return repository
}
