import { claudeSession } from "./claude-session.ts"
import { codexSession } from "./codex-session.ts"
import { seeded } from "./seeded.ts"

/** What the sessions of every client can do. */
export type WorkSession = {
  path: string
  user(text: string): void
  assistant(text: string): void
  run(command: string, output: string, exitCode?: number): void
  edit(file: string): void
  hook(text: string): void
  wait(minutes: number): void
}

/** One session on each of some days, the clients in turn: the first begins at nine on the first of March, the next a day later. */
export function openSession(home: string, root: string, day: number): WorkSession {
  const start = new Date(Date.UTC(2026, 2, day, 9)).toISOString()
  const session = `00000000-2222-4333-8444-${String(day).padStart(12, "0")}`
  if (day % 3 === 1) return claudeSession(home, { cwd: root, session, start })
  return codexSession(home, { cwd: root, session, start, generation: day % 3 === 2 ? "events" : "items" })
}

/** Several tasks, as they come in a day: reading, failing, mending, corrected and thanked, with pauses between. */
export function workForADay(session: WorkSession, day: number, context?: string): void {
  const random = seeded(day)
  const pick = <Thing>(things: readonly Thing[]): Thing => things[Math.floor(random() * things.length)] as Thing
  for (let task = 0; task < 4; task++) {
    const picked = pick(areas)
    const area = context !== undefined && task === 0 ? areas[0] : picked // what was handed out is about billing
    session.user(`${pick(openers)} ${pick(requests)} in the ${area.name}`)
    if (context !== undefined && task === 0) session.hook(context)
    session.run(`cat src/${area.name}/index.ts`, sourceText(random, 40))
    session.assistant(`I'll look at src/${area.name} first, then change it and run the tests.`)
    session.edit(`src/${area.name}/index.ts`)
    for (let failures = Math.floor(random() * 3); failures > 0; failures--) {
      session.run(area.command, `${area.error}\n${sourceText(random, 30)}`, 1)
      session.edit(`src/${area.name}/index.ts`)
    }
    session.run(area.command, `${sourceText(random, 20)}\n Tests  ${4 + task} passed (${4 + task})`)
    const correction = task % 2 === 0 ? undefined : corrections[(day * 2 + (task >> 1)) % corrections.length]
    if (correction !== undefined) {
      session.user(correction)
      session.edit(`src/${area.name}/${pick(["form", "table", "route"])}.ts`)
      session.run(area.command, ` Tests  ${5 + task} passed (${5 + task})`)
    }
    session.assistant("Done. Everything passes.")
    session.user(pick(["thanks, that works", "perfect, next", "great"]))
    session.wait(pick([1, 12, 45]))
  }
}

const openers = ["Next:", "Now please", "New task:", "Let's move on:"] as const
const requests = [
  "show the sum of all rows",
  "rename the fields",
  "handle empty answers",
  "log who changed it",
] as const
const areas = [
  {
    name: "billing",
    command: "pnpm test billing",
    error: "TypeError: Cannot read properties of undefined (reading 'total')",
  },
  { name: "reports", command: "cargo test -p reports", error: "error[E0308]: mismatched types" },
  { name: "calendar", command: "pytest tests/calendar", error: "E   ModuleNotFoundError: No module named 'dateutil'" },
  {
    name: "mailer",
    command: "go test ./mailer/...",
    error: "--- FAIL: TestSend (0.00s)\n    dial tcp: connection refused",
  },
] as const
const corrections = [
  "I prefer early returns over nested conditions",
  "No, never edit the generated files in src/proto",
  "no, we use pnpm in this repository, never npm",
  "Always run the linter before you commit",
  "No, we use postgres 16, not mysql",
  "Dates must always be stored in UTC",
] as const

const words =
  "account batch cache delta entry field group header index join key list map node order page query row sum table".split(
    " ",
  )

function sourceText(random: () => number, lines: number): string {
  const word = () => words[Math.floor(random() * words.length)]
  return Array.from({ length: lines }, () => `  const ${word()} = ${word()}.${word()}(${word()}, "${word()}")`).join(
    "\n",
  )
}
