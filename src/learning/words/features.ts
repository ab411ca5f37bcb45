import { lowerCase, phrases } from "../languages/phrases.ts"
import { marks } from "./marks.ts"

/**
 * What a sentence looks like, as names of features: its words and pairs of words, how it begins, its mood, its form.
 * Names of tools, files, code and numbers count as what they are, not by their letters.
 */
export function featuresOf(sentence: string): Set<string> {
  const features = new Set<string>()
  const plain = lowerCase(sentence).trim().replace(link, "$1")
  const tokens = tokensOf(plain)
  for (const [index, token] of tokens.entries()) {
    features.add(token)
    const next = tokens[index + 1]
    if (next !== undefined) features.add(`${token} ${next}`)
  }
  if (tokens[0] !== undefined) features.add(`^${tokens[0]}`)
  if (tokens[1] !== undefined) features.add(`^${tokens[0]} ${tokens[1]}`)
  for (const name of signals) if (name.test(plain)) features.add(name.label)
  const found = [...features].filter((feature) => feature.startsWith("#"))
  for (const [index, one] of found.entries()) for (const other of found.slice(index + 1)) features.add(`${one}${other}`)
  const words = tokens.length
  features.add(words <= 2 ? "#tiny" : words <= 4 ? "#short" : words <= 14 ? "#middle" : words <= 28 ? "#long" : "#huge")
  return features
}

/** A link's text says enough. */
const link = /\[([^\]\n]{1,100})\]\([^)\n]{1,300}\)/g

type Signal = { label: string; test(text: string): boolean }

function signal(label: string, pattern: RegExp): Signal {
  return { label: `#${label}`, test: (text) => text.search(pattern) !== -1 }
}

const signals: Signal[] = [
  ...(["always", "never", "preference", "fact", "remember"] as const).map((kind) =>
    signal(
      kind,
      phrases(({ statements }) => statements[kind]),
    ),
  ),
  ...(["always", "never", "preference", "fact", "remember"] as const).map((kind) =>
    signal(
      `first ${kind}`,
      phrases(({ statements }) => statements[kind], "first"),
    ),
  ),
  ...(["correction", "new task", "continuation"] as const).map((kind) =>
    signal(
      kind,
      phrases(({ openers }) => openers[kind], "first"),
    ),
  ),
  signal(
    "passing",
    phrases(({ passing }) => passing),
  ),
  signal(
    "request",
    phrases(({ requests }) => requests, "first"),
  ),
  signal(
    "accepts",
    phrases(({ accepts }) => [...accepts.anywhere, ...accepts.first], "first"),
  ),
  ...Object.entries(marks).map(([label, patterns]) => ({
    label: `#${label}`,
    test: (text: string) => patterns.some((pattern) => pattern.test(text)),
  })),
  signal("question", /[?？]\W{0,4}$/),
  signal("open", /[:：…]$|\.\.\.$/),
  signal("code", /`|_{3,}/),
  signal("comma", /[,，、;]/),
  signal("arrow", /[-=]>|→|\d\)/),
  signal("version", /\bv?\d+(?:\.\d+)+\b/),
]

const token =
  /`[^`]*`|https?:\/\/\S+|[\w@./\\-]*\/[\w@./\\-]+|[\w-]+\.(?:[cm]?[jt]sx?|py|rb|go|rs|md|json|ya?ml|toml|sql|sh|css|html|vue|java|kt|cs|env)\b|v?\d[\d.,:]*\w*|[\p{L}_][\p{L}\p{M}\p{N}_'-]*|[?!]/gu

function tokensOf(plain: string): string[] {
  return [...plain.matchAll(token)].flatMap(([found]) => {
    if (found.startsWith("`")) return "<code>"
    if (found.startsWith("http")) return "<link>"
    if (/[/\\]/.test(found) || /\.\w+$/.test(found)) return "<file>"
    if (/^v?\d/.test(found)) return "<number>"
    if (tool.test(found)) return "<tool>"
    if (/_{3,}/.test(found)) return "<code>"
    if (/^[\p{L}]+_[\p{L}_]+$/u.test(found)) return "<name>"
    return unspaced.test(found) ? pairsOf(found) : found
  })
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function pairsOf(run: string): string[] {
  const letters = [...run]
  return letters.length < 2 ? letters : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
}

const tool =
  /^(?:p?npm|npx|yarn|bunx?|deno|pip|pipenv|poetry|uv|conda|composer|bundler|cargo|gradle|maven|make|vitest|jest|mocha|jasmine|pytest|unittest|rspec|junit|cypress|playwright|testcontainers|postgres(?:ql)?|mysql|mariadb|sqlite|mongodb|redis|prisma|drizzle|typeorm|sequelize|sqlalchemy|sqlc|kysely|express|fastify|hono|django|flask|fastapi|rails|laravel|react|vue|svelte|angular|redux|zustand|tailwind|biome|eslint|prettier|ruff|black|mypy|webpack|vite|esbuild|axios|lodash|docker|kubernetes|helm|terraform|vercel|netlify|heroku|jenkins|golang|go|python|node|typescript|javascript|rust|java|kotlin|ruby|php|figma|notion|linear|jira|slack|confluence|git|jj|gh)$/
