import { expect, test } from "vitest"
import { findNames } from "./names.ts"

test.each([
  ["Use `src/a.ts` and `src/a.ts`.", ["src/a.ts"]],
  ["See [the guide](docs/guide.md#L3) and (lib/b.py).", ["docs/guide.md#L3", "lib/b.py"]],
  ["Run `node scripts/build.mjs --watch`.", ["scripts/build.mjs"]],
  ["Run `cd app && NODE_ENV=test npm run e2e -- --headed | tee log`.", ["npm run e2e"]],
  [
    "Set `DREY_HOME`, call `openStore(path, { a: 1 })` or `new MailQueue()`.",
    ["DREY_HOME", "openStore(path, { a: 1 })", "new MailQueue()"],
  ],
  ["`Store::open`, `store->readAll`, `a?.getName()`", ["Store::open", "store->readAll", "a?.getName()"]],
  ["`--dry-run` and `--root=DIR`", ["--dry-run", "--root"]],
  ["make sure, just go, 3/4, and/or, TCP/IP, 2026/03/02, n/a.md?", []],
  ["`main`, `string`, `true`, `GET /api/users`, `SELECT *`, `1.2.3`, `v1.0`, `a.b`, `user@example.com`", []],
  ["```ts\nconst fetchUser = src/inner.ts\nnpm run inFence\n```\nafter `src/b.ts`", ["src/b.ts", "npm run inFence"]],
  ["``code with ` backtick`` and `src/a.ts`", ["src/a.ts"]],
])("%j names %j", (text, names) => {
  expect(findNames(text).map((name) => name.text)).toEqual(names)
})

test("a sentence that mentions a change marks only its own names", () => {
  const told = (text: string) => Object.fromEntries(findNames(text).map((name) => [name.text, name.told]))
  expect(told("We deleted `src/a.ts`. `src/b.ts` stays; `src/c.ts` is legacy.")).toEqual({
    "src/a.ts": true,
    "src/b.ts": false,
    "src/c.ts": true,
  })
  expect(told("`src/old/removed.ts` has the rules. `a.ts` → `b.ts`, from 7 → 8.")).toEqual({
    "src/old/removed.ts": false,
    "a.ts": true,
    "b.ts": true,
  })
})

test("the old name in a change is marked too", () => {
  expect(findNames("All icons change from `MyTheme.iconSearch` to fonts.").map(({ told }) => told)).toEqual([true])
})

test("a text with very many names on one line is read in linear time", () => {
  const timeOf = (times: number) => {
    const text = "Removed `src/a.ts`, `fetchUser()`. See lib/b.py; `".repeat(times)
    const started = performance.now()
    expect(findNames(text)).toHaveLength(3)
    return performance.now() - started
  }
  timeOf(500)
  expect(timeOf(16_000)).toBeLessThan(Math.max(200, timeOf(2000) * 40))
})
