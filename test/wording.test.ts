import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseAst, Visitor } from "vite"
import { expect, test } from "vitest"

const root = resolve(import.meta.dirname, "..")

/** Phrases that engineers do not write, with what they write instead. Only what is wrong wherever it appears. */
const banned: [RegExp, string][] = [
  [/\banew\b/gi, "again"],
  [/\bonce\s+more\b/gi, "again"],
  [/\bgo(?:es)?\s+on\b(?!\s+(?:the|a|top)\b)/gi, "continues"],
  [/\b(?:whoever|somebody)\b/gi, "the user, the caller, a process"],
  [/\b(?:is|are|be|been)\s+told\b|\btold\s+of\b/gi, "sees, gets, is notified"],
  [/\bbears?\s+on\b/gi, "is relevant to, matches"],
  [/\bspeaks?\s+against\b/gi, "contradicts, forbids"],
  [/\bthe\s+gates?\b/gi, "governance, the check, the limit"],
  [/\b(?:take|takes|taken|took)\s+back\b/gi, "undo, revert, withdraw"],
  [/\bg(?:ive|ives|iven|ave)\s+back\b/gi, "restore, return"],
  [/(?<!\bthere\s+)\b(?:is|are)\s+no\s+(?!longer\b|more\b|fewer\b|less\b)[a-z]/gi, "is not a"],
  [/\b(?:he|his|him)\b/gi, "they, the user"],
  [/\btroubles?\b(?!shoot)/gi, "error, warning, problem"],
  [/\bmend(?:s|ed)?\b/gi, "fix, repair"],
  [/\bno\s+memory\s+may\b/gi, "contains a secret"],
]

/** Lists of words that Drey looks for, in English and in Spanish: the whole line, trimmed. */
const exceptions = new Set<string>([
  `haven having he her here hers herself him himself his how however i if in into is isn it its itself just let like many may me`,
  `we were weren what whatever when whenever where wherever whether which while who whoever whom whose why will with within without won would wouldn`,
  `"(?:let's|lets|let us) (?:now )?(?:move on|switch|start (?:on|with)|turn to|get back to|go back to|work on|tackle|do something|go on to|look at (?:the next|something|another))",`,
  `"ya te (?:lo )?(?:dije|he dicho|ped[ií])",`,
  String.raw`"nunca (?!ha|fue|funcion\\w*|me|he|lo vi)\\p{L}+",`,
  `"the and for are was were has have had not but with this that these those from into onto than then them they you your our its his her she all any can could should would will must may might shall when where which while what who whom how why there here just only also very more most some such own same other each both few too yes please okay use uses used using user users project always never don doesn didn won isn aren agent agents run runs running make makes made get gets got let lets want wants need needs like instead rather before after because about over under again still now one two out off via per".split(`,
])

interface Hit {
  where: string
  line: string
  phrase: string
  instead: string
}

test("a banned phrase is found in a string, a template, JSX text and Markdown, and not in code or comments", () => {
  const code = [
    'import he from "./he/his.ts"',
    "// whoever reads this comment",
    'const his = he("plain")',
    `throw new Error(\`\${his} is no token\`)`,
    'const page = <p title="done anew">Ask somebody</p>',
  ].join("\n")
  const hits = hitsInCode("planted.tsx", code).map(({ where, phrase }) => `${where} ${phrase}`)
  expect(hits).toEqual(["planted.tsx:4 is no t", "planted.tsx:5 anew", "planted.tsx:5 somebody"])
  expect(hitsInText("planted.md", "There is no file.\n\nThis bears on\nthat.\n")).toMatchObject([
    { where: "planted.md:3", phrase: "bears on" },
  ])
})

test("what users read is plain English: strings in src and ui, templates, README and docs", () => {
  const hits = [
    ...filesBelow("src", /^(?!test-).*(?<!\.test|-contract)\.ts$/)
      .filter((path) => path !== "src/learning/words/marks.ts") // words of nine languages that Drey looks for
      .flatMap((path) => hitsInCode(path, read(path))),
    ...filesBelow("ui", /(?<!\.test)\.tsx?$/).flatMap((path) => hitsInCode(path, read(path))),
    ...["README.md", "SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "ui/index.html"]
      .concat(filesBelow("docs", /\.(?:md|json)$/), filesBelow("templates", /./))
      .flatMap((path) => hitsInText(path, read(path))),
  ].filter(({ line }) => !exceptions.has(line))
  const report = hits.map(({ where, line, phrase, instead }) => `${where}: "${phrase}" (write: ${instead})  ${line}`)
  expect(report.join("\n")).toBe("")
})

function hitsInCode(path: string, code: string): Hit[] {
  if (hitsInText(path, code).length === 0) return [] // parsing takes far longer than searching
  const hits: Hit[] = []
  const look = (text: string, node: { start: number; end: number }) => {
    const isProse = /\s/.test(text) // one word is a key, a path or a name
    if (isProse) hits.push(...hitsIn(path, code, node.start, code.slice(node.start, node.end)))
  }
  new Visitor({
    Literal: (node) => typeof node.value === "string" && look(node.value, node),
    TemplateElement: (node) => look(node.value.raw, node),
    JSXText: (node) => look(node.value, node),
  }).visit(parseAst(code, { lang: path.endsWith("x") ? "tsx" : "ts" }))
  return hits
}

function hitsInText(path: string, text: string): Hit[] {
  return hitsIn(path, text, 0, text)
}

/** A phrase may be broken over two lines, so a part is searched whole; the line where the phrase begins is reported. */
function hitsIn(path: string, whole: string, start: number, part: string): Hit[] {
  return banned.flatMap(([phrase, instead]) =>
    [...part.matchAll(phrase)].map((match) => {
      const before = whole.slice(0, start + match.index).split("\n")
      const line = whole.split("\n")[before.length - 1] ?? ""
      return { where: `${path}:${before.length}`, line: line.trim(), phrase: match[0], instead }
    }),
  )
}

function filesBelow(folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name) && !entry.parentPath.includes("node_modules"))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll("\\", "/"),
    )
    .filter((path) => !path.endsWith("package-lock.json"))
    .sort()
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8")
}
