import { expect, test } from "vitest"
import { type CommandLine, differs, isEverydayCommand, looksAway, plainCommand } from "./failure-lessons.ts"

function lineOf(written: string): CommandLine {
  const line = plainCommand(written)
  if (line === undefined) throw new Error(`${written} is nothing to hand on`)
  return line
}

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

test.each([
  ["npm test", "NODE_OPTIONS=--experimental-vm-modules npm test"],
  ["npm test", "cd packages/api && npm test"],
  ["pytest", "uv run pytest"],
  ["npm install", "npm install --legacy-peer-deps"],
])("%j and %j differ in what can be learned", (failed, worked) => {
  expect(differs(lineOf(failed), lineOf(worked))).toBe(true)
})

test.each([
  ["npx vitest run src/a.test.ts", "npx vitest run src/b.test.ts"],
  ["cargo test", "cargo test -p shop --verbose"],
  ["npm run lint && npm test", "npm test"],
  ["duckdb shop.db -c 'select a'", "duckdb shop.db -c 'select b'"],
  ['pytest -k "one"', 'pytest -k "two" -q'],
  ["python3 build.py --out a.json", "python3 build.py --out b.json"],
])("%j and %j differ only in their targets, or how many", (failed, worked) => {
  expect(differs(lineOf(failed), lineOf(worked))).toBe(false)
})

test("a success by skipping the check is recognised", () => {
  expect(looksAway(lineOf("git commit --no-verify -m x"))).toBe(true)
  expect(looksAway(lineOf("pip install --break-system-packages x"))).toBe(true)
  expect(looksAway(lineOf("npm run format"))).toBe(false)
})

test("commonly known commands are not learned", () => {
  expect(isEverydayCommand(lineOf("git add . && git push -u origin main"))).toBe(true)
  expect(isEverydayCommand(lineOf("python manage.py shell -c 'print(count())'"))).toBe(true)
  expect(isEverydayCommand(lineOf("python manage.py migrate"))).toBe(false)
  expect(isEverydayCommand(lineOf("git add . && npm run format"))).toBe(false)
})
