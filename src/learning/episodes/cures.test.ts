import { expect, test } from "vitest"
import type { TranscriptEvent } from "../../formats/client-events.ts"
import { looksAway, plainCommand } from "./command-line.ts"
import { failedCommandsIn } from "./cures.ts"
import { edits, interrupts, runs, says, testEvents } from "./test-events.ts"

test.each([
  ["cd /home/ada/shop && npm test 2>&1 | tail -20", "npm test"],
  ['cd "/home/ada/my shop" && CI=1 npm test', "CI=1 npm test"],
  ['cargo test 2>&1 | grep -E "^(ok|FAILED|[0-9]+ tests)" | tail -3', "cargo test"],
  ["git commit -m 'two words'", "git commit -m 'two words'"],
  ["cd packages/api && npm test > out.txt; echo $?", "cd packages/api && npm test"],
])("%j is generalised to %j", (command, plain) => {
  expect(plainCommand(command)?.text).toBe(plain)
})

test.each([
  undefined,
  "cat <<EOF > x",
  "npm test\nnpm run build",
  "npm test || true",
  "psql < x.sql",
  "for i in 1 2; do npm test; done",
  "curl -H [redacted] x",
  `echo ${"long ".repeat(40)}`,
])("%j is not worth passing on", (command) => {
  expect(plainCommand(command)).toBeUndefined()
})

test("a success by skipping the check is recognised", () => {
  const skips = (command: string) => looksAway({ text: command, commands: [] })
  expect(skips("git commit --no-verify -m x")).toBe(true)
  expect(skips("pip install --break-system-packages x")).toBe(true)
  expect(skips("npm run format")).toBe(false)
})

type Happened = Partial<TranscriptEvent>[]

const curesOf = (...happened: Happened[]) => failedCommandsIn(testEvents(...happened.flat())).map(({ cure }) => cure)

const stale = "Error: Cannot find module '.next/server/pages.js'"

test.each<[string, Happened[], string]>([
  [
    "a cache was removed",
    [runs("npm run build", 1, stale), runs("rm -rf .next", 0), runs("npm run build", 0)],
    "rm -rf .next",
  ],
  [
    "another Node",
    [runs("npm run build", 1, "Error: Unsupported engine"), runs("nvm use 22", 0), runs("npm run build", 0)],
    "nvm use 22",
  ],
  [
    "code was generated, and looked at",
    [
      runs("go vet ./...", 1, "undefined: pb.Order"),
      runs("make generate", 0),
      runs("ls gen", 0),
      runs("git status", 0),
      runs("go vet ./...", 0),
    ],
    "make generate",
  ],
  [
    "in the line that passes",
    [runs("npm test", 1, "Error: connect ECONNREFUSED"), runs("docker compose up -d db && npm test", 0, "ok")],
    "docker compose up -d db",
  ],
  [
    "what was refused in between did not run",
    [
      runs("make", 2, "make: *** missing config"),
      [{ role: "tool", kind: "tool_result", action: "run", command: "git stash", incident: "refused" }],
      runs("./configure", 0),
      runs("make", 0),
    ],
    "",
  ],
])("%s: the one command that was run in between is the cure", (_, happened, cure) => {
  const [found] = curesOf(...happened)
  if (cure === "") expect(found?.kind).toBe("unclear")
  else expect(found).toMatchObject({ kind: "command", command: { text: cure } })
})

test.each<[string, Happened[], string]>([
  [
    "several commands",
    [runs("npm test", 1, stale), runs("npm run build", 0), runs("npm run seed", 0), runs("npm test", 0)],
    "unclear",
  ],
  [
    "an edit and a command",
    [runs("npm test", 1, stale), edits("src/a.ts"), runs("npm run build", 0), runs("npm test", 0)],
    "unclear",
  ],
  ["a person spoke", [runs("npm test", 1, stale), [says("I started the database")], runs("npm test", 0)], "unclear"],
  [
    "the person stopped the agent",
    [runs("npm test", 1, stale), [interrupts], runs("npm run build", 0), runs("npm test", 0)],
    "unclear",
  ],
  ["code was edited", [runs("npm test", 1, stale), edits("src/a.ts"), runs("npm test", 0)], "edit"],
  [
    "code was edited by the shell",
    [runs("npm test", 1, stale), runs("sed -i s/a/b/ src/a.ts", 0), runs("npm test", 0)],
    "edit",
  ],
  ["code was checked out", [runs("npm test", 1, stale), runs("git checkout -- src", 0), runs("npm test", 0)], "edit"],
  [
    "a script of unknown effect",
    [runs("npm test", 1, stale), runs("python3 -c 'open(1)'", 0), runs("npm test", 0)],
    "unclear",
  ],
  ["nothing", [runs("npm test", 1, "Error: Timeout"), runs("npm run lint", 0), runs("npm test", 0)], "nothing"],
  [
    "a formatter does not cure a test",
    [runs("npm test", 1, "Error: Timeout"), runs("npm run format", 0), runs("npm test", 0)],
    "unclear",
  ],
  [
    "the same failure comes back",
    [runs("npm test", 1, stale), runs("npm run build", 0), runs("npm test", 0), runs("npm test", 1, stale)],
    "unclear",
  ],
  ["its help is not a success", [runs("shopctl deploy", 1, "Error: boom"), runs("shopctl deploy --help", 0)], "none"],
  ["a narrower run is not a success", [runs("npm test", 1, "2 failed"), runs("npm test -- cart.test.ts", 0)], "none"],
  ["a filter is not a success", [runs("pytest", 1, "2 failed"), runs("pytest -k cart", 0)], "none"],
  ["another command of the program", [runs("npm run lint", 1, "3 problems"), runs("npm run build", 0)], "none"],
  ["less than before", [runs("npm run lint && npm test", 1, "3 problems"), runs("npm test", 0)], "none"],
  [
    "a pass without the check",
    [runs("git commit -m x", 1, "husky: failed"), runs("git commit --no-verify -m x", 0)],
    "none",
  ],
])("%s: no cure is seen", (_, happened, kind) => {
  expect(curesOf(...happened)[0]?.kind).toBe(kind)
})

test.each([
  ["npm run dev", 130],
  ["npm run dev", 143],
  ["node server.js", 137],
  ["rg -n TODO src", 1],
  ["grep -q x y", 1],
  ["diff a b", 1],
  ["which pnpm", 1],
])("%s with exit code %d is not a failure", (command, exitCode) => {
  expect(curesOf(runs(command, exitCode))).toEqual([])
})

test.each<[string, string, string, string, string]>([
  ["wrap bun run test", "error: unrecognized subcommand 'bun'", "bun run test", "wrap bun", "bun"],
  ["wrap bun run test", "error: unrecognized subcommand 'bun'", "bun run lint", "wrap bun", "bun"],
  ["pytest -q", "bash: pytest: command not found", "uv run pytest -q", "pytest -q", "uv run pytest -q"],
  [
    "npm install",
    "npm error ERESOLVE could not resolve",
    "npm install --legacy-peer-deps",
    "npm install",
    "npm install --legacy-peer-deps",
  ],
  [
    "npm test",
    "Error: ESM",
    "NODE_OPTIONS=--experimental-vm-modules npm test",
    "npm test",
    "NODE_OPTIONS=--experimental-vm-modules npm test",
  ],
  [
    "tool x --colour",
    "error: unknown option '--colour'",
    "tool x --color-mode",
    "tool x --colour",
    "tool x --color-mode",
  ],
  [
    "npm run lint",
    'npm error Missing script: "lint"',
    "cd web && npm run lint",
    "npm run lint",
    "cd web && npm run lint",
  ],
  [
    "cd api && git pull --rebase && make",
    "error: cannot pull with rebase: You have unstaged changes.",
    "cd api && git pull --rebase --autostash && make",
    "git pull --rebase",
    "git pull --rebase --autostash",
  ],
])("%s (%s), then %s: the form is the cure", (failing, error, working, failed, worked) => {
  expect(curesOf(runs(failing, 1, error), runs(working, 0))).toMatchObject([
    { kind: "form", failed: { text: failed }, worked: { text: worked } },
  ])
})

test("what passes only outside of the client's sandbox failed because of the sandbox", () => {
  const [call = {}, result = {}] = runs("npm test", 0)
  const cures = curesOf(runs("npm test", 1, "Error: getaddrinfo ENOTFOUND"), [call, { ...result, escalated: true }])
  expect(cures).toMatchObject([{ kind: "sandbox" }])
})
