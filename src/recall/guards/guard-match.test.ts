import fc from "fast-check"
import { expect, test } from "vitest"
import type { ToolCall } from "../../formats/client-events.ts"
import { type CompiledGuard, type GuardTrigger, matchGuards } from "./guard-match.ts"
import { readProhibitions } from "./prohibitions.ts"
import { triggersOf } from "./triggers.ts"

function guardsOf(rule: string): CompiledGuard[] {
  return readProhibitions(rule).flatMap((prohibition) => {
    const triggers = triggersOf(prohibition)
    return triggers ? [guard(triggers)] : []
  })
}

function guard(triggers: Partial<GuardTrigger>): CompiledGuard {
  const none = { commands: [], paths: [], names: [], packages: [] }
  return { id: "x", source: "team", ask: false, text: "", triggers: { ...none, ...triggers } }
}

function running(command: string): ToolCall {
  return { tool: "Bash", command, paths: [], text: undefined }
}

function writing(path: string, text = ""): ToolCall {
  return { tool: "Edit", command: undefined, paths: [path], text }
}

const speaks = (rule: string, call: ToolCall) => matchGuards(guardsOf(rule), call).length > 0

test.each([
  ["Never publish packages without asking the user.", "cd web && npm publish --access public"],
  ["Never publish by hand; CI does it.", "pnpm -r publish"],
  ["Never push to main.", "git push origin main"],
  ["Never commit directly to main/master; open a pull request.", "git push origin HEAD:master"],
  ["Never use git push --force on shared branches.", "git push -f origin feature"],
  ["Never force-push.", "git -C ../shop push --force"],
  ["Never run rm -rf outside the build folder.", "sudo rm -r -f /srv/data"],
  ["Use pnpm instead of npm.", "CI=1 npm install"],
  ["This project uses pnpm, not npm.", "timeout 60 npm test"],
  ["Always use pnpm, never npm or yarn.", "yarn add left-pad"],
  ["Do not run `npm audit fix --force`; it broke the lockfile.", "npm audit fix --force --omit=dev"],
  ["Never use `--no-verify`.", "git commit -am wip --no-verify"],
  ["Do not skip the pre-commit hooks.", "git commit -nm wip"],
  ["Never run `npx prisma migrate reset` against staging.", "pnpm exec prisma migrate reset"],
  ["Never run `npm test` without `--runInBand`.", "npm test"],
  ["Do not add new dependencies without approval.", "npm i -D left-pad"],
  ["Use dayjs instead of moment.", "npm install moment@2"],
  ["Never commit `.env` files.", "git add .env && git commit -m x"],
  ["Agents must not delete `data/fixtures`.", "rm -rf ./data/fixtures/"],
  ["Never run `scripts/deploy.sh` yourself.", "bash scripts/deploy.sh prod"],
  ["Don't use `sudo`.", "sudo systemctl restart nginx"],
  ["Never amend commits that were pushed.", 'git commit --amend -m "x"'],
  ["`terraform apply` is forbidden.", "bash -lc 'cd infra && terraform apply -auto-approve'"],
])("%j matches %j", (rule, command) => {
  expect(speaks(rule, running(command))).toBe(true)
})

test.each([
  ["Never publish packages without asking the user.", "npm run build"],
  ["Never publish packages without asking the user.", 'git commit -m "npm publish is done by CI"'],
  ["Never push to main.", "git push origin feature/main-menu"],
  ["Never push to main.", "git pull origin main"],
  ["Never use git push --force on shared branches.", "git push --force-with-lease"],
  ["Never use git push --force on shared branches.", "rm --force x"],
  ["Never run rm -rf outside the build folder.", "rm -rf build"],
  ["Never run rm -rf outside the build folder.", "rm -f notes.txt"],
  ["Use pnpm instead of npm.", "pnpm install && pnpm test"],
  ["Use pnpm instead of npm.", "grep -rn 'npm install' docs"],
  ["Never run `npm test` without `--runInBand`.", "npm test -- --runInBand"],
  ["Do not add new dependencies without approval.", "npm install"],
  ["Do not add new dependencies without approval.", "pip install -r requirements.txt"],
  ["Use dayjs instead of moment.", "npm install moment-timezone-data"],
  ["Never commit `.env` files.", "git add .env.example"],
  ["Never run `terraform apply` yourself.", "terraform plan"],
  ["Always run `pnpm lint` before you commit.", "git commit -m x"],
  ["Tests never touch `src/db`.", "rm -rf src/db"],
  ["The runner does not use `npm test`.", "npm test"],
  ["Never mind `npm test`.", "npm test"],
  ["Should we never run `npm test`?", "npm test"],
  ["Always use `uv run pytest`, never plain `pytest`.", "uv run pytest -q"],
  ["Avoid `git` in scripts.", "git status"],
])("%j does not match %j", (rule, command) => {
  expect(speaks(rule, running(command))).toBe(false)
})

test.each<[string, ToolCall, boolean]>([
  ["Never edit files in `src/generated/` by hand; run `npm run codegen`.", writing("src/generated/api.ts"), true],
  ["Never edit files in `src/generated/` by hand; run `npm run codegen`.", writing("src/generated-by-hand.ts"), false],
  ["Never edit files in `src/generated/` by hand.", writing("/home/kim/shop/src/generated/api.ts"), true],
  ["Never edit files in `src/generated/` by hand.", writing("web/src/generated/api.ts"), false],
  ["`package-lock.json` must never be edited by hand.", writing("web/package-lock.json"), true],
  ["Do not touch `**/*.snap` files.", writing("src/a/__snapshots__/b.snap"), true],
  ["Do not touch `docs/*.md`.", writing("docs/old/x.md"), false],
  ["Never touch .github/workflows/ unless asked.", writing(".github\\workflows\\ci.yml"), true],
  ["Never change the API in `src/api.ts` without a migration note.", writing("src/api.ts"), false],
  ["Never put tests in `src/`.", writing("src/app.ts"), false],
  ["Never use `console.log` in `src/api`; use the logger.", writing("src/api/a.ts", "console.log(1)"), true],
  ["Never use `console.log` in `src/api`; use the logger.", writing("src/cli/a.ts", "console.log(1)"), false],
  ["Never use `console.log`.", writing("a.ts", "console.logger.info(1)"), false],
  ["Don't use `@ts-ignore`; fix the type.", writing("a.ts", "// @ts-ignore\nx()"), true],
  ["Never use `any`.", writing("a.ts", "const x: any = 1"), true],
  ["Never use `any`.", writing("a.md", "There is never any doubt: any of them will do."), false],
  ["Never call `eval()`.", writing("a.ts", "return eval(code)"), true],
  ["Never call `eval()`.", writing("a.ts", "return medieval(code)"), false],
  ["Never import `lodash`.", writing("a.ts", 'import x from "lodash/fp"'), true],
  ["Never import `lodash`.", writing("a.md", "We once had lodash here."), false],
  ["Use dayjs rather than moment.", writing("a.ts", "import moment from 'moment'"), true],
  ["Use dayjs rather than moment.", writing("a.md", "At the moment there is none."), false],
])("%j and %j: %j", (rule, call, expected) => {
  expect(speaks(rule, call)).toBe(expected)
})

const anyCall = fc.record({
  tool: fc.string(),
  command: fc.option(fc.oneof(fc.string(), fc.string({ unit: "binary" })), { nil: undefined }),
  paths: fc.array(fc.string()),
  text: fc.option(fc.string(), { nil: undefined }),
})

const manyTriggers: GuardTrigger[] = [
  { commands: [{ words: ["git", "push", "--force"], unless: ["x"] }], paths: [], names: [], packages: [] },
  {
    commands: [{ words: [] }, { words: ["*", "--no-verify"] }],
    paths: ["a/**/b/*.c", "(["],
    names: ["(", "a.b"],
    packages: ["*", "a+b"],
  },
]

test("whatever a call and its guards contain, matching does not throw", () => {
  fc.assert(fc.property(anyCall, (call) => matchGuards(manyTriggers.map(guard), call).length >= 0))
})

/** The least of three: others work on the same machine. */
function cpuMs(act: () => void): number {
  const times = [1, 2, 3].map(() => {
    const start = process.cpuUsage()
    act()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

test.each(["a ", "$(", "'\"", "&& npm ", "<<EOF\n", "\\", "((", "-f "])(
  "a long command of %j takes linear time",
  (piece) => {
    const guards = manyTriggers.map(guard)
    const long = piece.repeat(100_000 / piece.length)
    expect(cpuMs(() => matchGuards(guards, { ...running(long), paths: [long], text: long }))).toBeLessThan(150)
  },
)

test("five hundred guards take less than a millisecond for a call", () => {
  const guards = Array.from({ length: 500 }, (_, at) =>
    guard({
      commands: [
        { words: ["tool", `verb${at}`, "--force"] },
        { words: [at % 10 === 0 ? "npm" : `program${at}`, `script${at}`] },
      ],
      paths: [`src/part${at}/**/*.gen.ts`],
      names: [`name${at}.call`],
      packages: [`package-${at}`],
    }),
  )
  const calls = [
    running("cd web && CI=1 npm run build -- --watch=false 2>&1 | tail -20"),
    writing("src/a.ts", "export const value = compute(1, 2)\n".repeat(100)),
  ]
  const rounds = 100
  const spent = cpuMs(() => {
    for (let round = 0; round < rounds; round++) for (const call of calls) matchGuards(guards, call)
  })
  expect(spent / rounds / calls.length).toBeLessThan(1)
})
