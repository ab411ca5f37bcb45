/** A rule of a linter that code broke, by the linter's name for it. */
export type BrokenRule = { rule: string; message: string; line: { start: number; end: number } }

const mostRules = 8

/**
 * The rules that an output names, each once: those of Biome, golangci-lint, ESLint, Ruff, Pylint, RuboCop and markdownlint. What the linter
 * repairs by itself is left out.
 */
export function brokenRules(text: string): BrokenRule[] {
  const found = new Map<string, BrokenRule>()
  let heading: string | undefined
  for (let start = 0; start < text.length && found.size < mostRules; ) {
    const next = text.indexOf("\n", start)
    const end = next === -1 ? text.length : next
    const line = text.slice(start, Math.min(end, start + longestLine)).trimEnd()
    const broken = heading === undefined ? onOneLine(line) : underHeading(heading, line)
    if (broken !== undefined && !found.has(broken.rule)) found.set(broken.rule, { ...broken, line: { start, end } })
    const rule = biome.exec(line)
    if (rule !== null) heading = rule[2] === undefined ? rule[1] : undefined
    else if (line.trim() !== "") heading = undefined
    start = end + 1
  }
  return [...found.values()]
}

const longestLine = 400

/** `src/a.ts:1:8 lint/performance/noNamespaceImport ━━━`; the message is on the next line with content. */
const biome = /:\d+(?::\d+)? (?:lint|assist)\/\w+\/(\w+)\s+(FIXABLE\s+)?━/

function underHeading(rule: string, line: string): Omit<BrokenRule, "line"> | undefined {
  const [, message] = /^\s*[×!] (\S.*)$/.exec(line) ?? []
  return message === undefined ? undefined : { rule, message }
}

function onOneLine(line: string): Omit<BrokenRule, "line"> | undefined {
  for (const shape of shapes) {
    const { rule, message = "", fixable } = shape.exec(line)?.groups ?? {}
    if (rule !== undefined) return fixable === undefined ? { rule, message } : undefined
  }
  return undefined
}

const place = String.raw`^\s*[^\s:]{1,200}\.\w{1,8}:\d+(?::\d+)?:? `
const shapes = [
  new RegExp(`${place}(?<rule>[A-Z]{1,4}\\d{3,4}) (?<fixable>\\[\\*\\] )?(?<message>\\S.+)$`), // Ruff
  new RegExp(`${place}[CRWEF]\\d{4}: (?<message>\\S.+) \\((?<rule>[\\w-]+)\\)$`), // Pylint
  new RegExp(`${place}[CWEF]: (?<fixable>\\[Correctable\\] )?(?<rule>\\w+/\\w+): (?<message>\\S.+)$`), // RuboCop
  new RegExp(`${place}(?:error )?(?<rule>MD\\d{3})/\\S+ (?<message>\\S.+)$`), // markdownlint
  new RegExp(`${place}(?<message>\\S.+) \\((?<rule>[a-z][a-z\\d]+)\\)$`), // golangci-lint
  /^\s+\d+:\d+\s+(?:error|warning)\s+(?<message>\S.{0,200}?)\s{2,}(?<rule>@?[a-z][\w/-]+)$/, // ESLint
]
