import { expect, test } from "vitest"
import type { FileChange } from "./proposals.ts"
import type { LineEdit } from "./quick-fixes.ts"
import { workerMethods } from "./worker-methods.ts"

const root = "disk:/"
const decisions = ".squad/decisions.md"
const inbox = ".squad/decisions/inbox/kane.md"

const entry = (fields: string, { time = "2026-01-10T09:00:00+0000", title = "Use one index" } = {}) =>
  `### ${time}: decision: ${title}\n\n${fields}\n---\n`
const whole =
  "**author:** Wren\n\n**summary:** One index for `src/index.ts` and `openIndex`.\n\n**rationale:** It is simpler.\n"

function open(files: Record<string, string>) {
  const methods = workerMethods(() => new Date("2026-03-01T10:00:00Z"))
  methods.put(
    root,
    Object.entries(files).map(([path, text]) => ({ path, text })),
  )
  const texts = new Map(Object.entries(files))
  const apply = (changes: readonly FileChange[]) => {
    for (const { path, text } of changes) text === null ? texts.delete(path) : texts.set(path, text)
    methods.put(root, [...changes])
  }
  const edit = (edits: readonly LineEdit[]) => {
    const path = edits[0]?.path ?? ""
    const lines = (texts.get(path) ?? "").split("\n")
    for (const { from, to, text } of [...edits].sort((one, other) => other.from - one.from))
      lines.splice(from - 1, to - from, ...(text === "" ? [] : text.replace(/\n$/, "").split("\n")))
    apply([{ path, text: lines.join("\n").replace(/\$\{1:(.*?)\}/g, "$1") }])
  }
  const codes = (path: string) => methods.problems(root, path).map(({ code }) => code)
  return { methods, texts, apply, edit, codes }
}

test.each([
  ["missing-rationale", "add-rationale", entry("**author:** Wren\n\n**summary:** One index.\n")],
  ["missing-author", "add-author", entry("**summary:** One index.\n\n**rationale:** It is simpler.\n")],
  ["date-only", "stamp-time", entry(whole, { time: "2026-01-10" })],
  ["header-field-mismatch", "use-header", entry(`**type:** note\n${whole}`)],
  [
    "summary-too-long",
    "shorten-summary",
    entry(whole.replace("One index", `One index ${"of many words ".repeat(30)}`)),
  ],
  [
    "dangling-reference",
    "remove-reference",
    entry(whole.replace("**author:** Wren", "**author:** Wren\n**supersedes:** sem-0123456789ab")),
  ],
  [
    "invalid-field",
    "default-scope",
    entry(whole.replace("**author:** Wren", "**author:** Wren\n**scope:** everywhere")),
  ],
  ["forbidden-content", "redact", entry(whole.replace("It is simpler.", `The key is AKIA${"IOSFODNN7QWERTYZ"}.`))],
  [
    "legacy-entry",
    "convert",
    "### 2026-01-10: Use one index\n\n**By:** Wren\n\n**What:** One index.\n\n**Why:** It is simpler.\n",
  ],
])("%s is reported, and the fix %s removes it and reports nothing else", (code, title, text) => {
  const { methods, edit, codes } = open({ [decisions]: `# Decisions\n\n${text}` })
  const before = codes(decisions)
  expect(before).toContain(code)
  const fix = methods
    .fixes(root, decisions, [1, 100], "Ines")
    .find((each) => each.title === title && each.code === code)
  if (!fix) throw new Error(`no fix ${title}`)
  edit(fix.edits)
  expect(before.filter((each) => each !== code)).toEqual(expect.arrayContaining(codes(decisions)))
})

test("a proposal is accepted, one of several in a file, and what it supersedes is marked", () => {
  const first = entry("**author:** Kane\n\n**summary:** Two.\n\n**rationale:** Fast.\n", {
    title: "Use two",
    time: "2026-02-01T09:00:00+0000",
  })
  const second = entry(
    "**author:** Kane\n**supersedes:** 2026-01-10T09:00:00+0000\n\n**summary:** Three.\n\n**rationale:** Faster.\n",
    {
      title: "Use three",
      time: "2026-02-02T09:00:00+0000",
    },
  )
  const { methods, texts, apply } = open({
    [decisions]: `# Decisions\n\n${entry(whole)}`,
    [inbox]: `${first}\n${second}`,
  })
  const preview = methods.preview(root, `${inbox}#2`)
  const plan = methods.accept(root, `${inbox}#2`)
  if (plan.kind !== "planned") throw new Error(plan.reason)
  apply(plan.changes)
  expect(texts.get(decisions)).toBe(preview?.text)
  expect(texts.get(decisions)).toContain("**supersededBy:** 2026-02-02T09:00:00+0000")
  expect(texts.get(inbox)?.trim()).toBe(first.trim())
  expect(methods.accept(root, `${inbox}#2`)).toMatchObject({ kind: "refused" })
})

test("a refused proposal moves aside with its reason, which cannot close the comment that it is in", () => {
  const { methods, texts, apply } = open({ [decisions]: "# Decisions\n", [inbox]: entry(whole) })
  const plan = methods.refuse(root, inbox, "no --> <b>never</b>")
  if (plan.kind !== "planned") throw new Error(plan.reason)
  apply(plan.changes)
  expect(texts.get(".squad/decisions/inbox/.refused/kane.md")).toMatch(/^<!-- refused: no —> <b>never<\/b> -->\n### /)
  expect(texts.has(inbox)).toBe(false)
})

test("a secret in a statement, its reason or its code is refused, and the reason does not contain it", () => {
  const { methods } = open({ [decisions]: "# Decisions\n" })
  const key = `AKIA${"IOSFODNN7QWERTYZ"}`
  for (const part of [{ text: key }, { text: "Deploy", why: key }, { text: "Deploy", details: key }]) {
    const plan = methods.remember(root, ".squad", { type: "note", author: "Ines", ...part })
    expect(plan).toMatchObject({ kind: "refused", reason: expect.not.stringContaining(key) })
  }
})

test("two statements within a second get times of their own, and both are read back", () => {
  const { methods, apply } = open({ [decisions]: "# Decisions\n" })
  for (const text of ["Never retry a payment", "Always log the booking"]) {
    const plan = methods.remember(root, ".squad", { type: "directive", text, author: "Ines" })
    if (plan.kind !== "planned") throw new Error(plan.reason)
    apply(plan.changes)
  }
  const { rows } = methods.search(root, "type:directive")
  expect(rows.map(({ title }) => title).sort()).toEqual(["Always log the booking", "Never retry a payment"])
  expect(new Set(rows.map(({ at }) => at)).size).toBe(2)
})

test("files and symbols of the code lead to the entries that name them, a word of prose does not", () => {
  const { methods } = open({ [decisions]: `# Decisions\n\n${entry(whole)}` })
  expect(methods.naming(root, "src/index.ts").map(({ title }) => title)).toEqual(["Use one index"])
  expect(methods.naming(root, "src/other.ts")).toEqual([])
  expect(methods.mentioning(root, ["openIndex", "simpler"])).toEqual([
    { symbol: "openIndex", ids: [expect.any(String)] },
  ])
})

test("an unchanged text changes no row, and a removed file takes its entries along", () => {
  const text = `# Decisions\n\n${entry(whole)}`
  const { methods } = open({ [decisions]: text })
  expect(methods.put(root, [{ path: decisions, text }])).toBeUndefined()
  expect(methods.put(root, [{ path: decisions, text: null }])).toEqual([])
})

test("keys and values of a session file are completed by its schema", () => {
  const path = "/shop/.squad/sessions/2026-03-02T10-00-00-charge/agent-memory.yaml"
  const text = 'version: "1"\ndiscoveries:\n  - id: d1\n    importance: \n    \n'
  const { methods } = open({})
  const at = (line: number, column: number) =>
    methods.completeSession(path, text, line, column).map(({ label }) => label)
  expect(at(4, 16)).toEqual(expect.arrayContaining(["low", "critical"]))
  expect(at(5, 4)).toEqual(expect.arrayContaining(["content"]))
  expect(at(5, 4)).not.toContain("id")
  expect(methods.sessionProblems(path, text).length).toBeGreaterThan(0)
  expect(methods.sessionProblems("/shop/docker-compose.yaml", "services:\n")).toEqual([])
})
