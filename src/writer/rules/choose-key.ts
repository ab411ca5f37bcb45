/**
 * The key of a rule that chooses one tool or style among several: "we use pnpm here, not npm" has
 * `project.package_manager`. Undefined if nothing is chosen, or more than one.
 */
export function chooseKey(sentence: string, isOwnTaste: boolean): string | undefined {
  if (!choice.test(sentence)) return undefined
  const plain = sentence.replace(/`[^`]*`/g, " ") // a command in code is not a choice
  const favoured = withoutRejected(plain)
  const mentioned = [...(isOwnTaste ? tastes : []), ...tools].filter(({ names }) => countNames(favoured, names) === 1)
  const [only, ...others] = mentioned
  if (!only || others.length > 0) return undefined
  return tastes.includes(only) || isChosen(plain, favoured, only.names) ? only.key : undefined
}

/**
 * A tool is chosen if a verb of choice precedes it, or another of its kind is rejected; otherwise it is only mentioned.
 */
function isChosen(plain: string, favoured: string, names: RegExp): boolean {
  if (countNames(plain, names) > countNames(favoured, names)) return true
  return Array.from(favoured.matchAll(names)).some(({ index }) => choosing.test(favoured.slice(0, index)))
}

const choosing =
  /\b(?:us(?:e|es|ing)|prefer(?:s|red)?|switch(?:ed)? to|stick (?:to|with)|go with|runs? (?:on|with)|deploy(?:s|ed)? (?:to|with|on)|written in|is|are|on)(?: only| just| always| the| our)? $/i

const choice =
  /\b(?:us(?:e|es|ing)|prefer(?:s|red)?|switch(?:ed)? to|stick (?:to|with)|go with|write|run|instead of|rather than|not|on)\b/i

/** The text after "not", "instead of" or "never use", up to the end of its clause. */
function withoutRejected(sentence: string): string {
  return sentence.replace(
    /\b(?:not|never|avoid|without|instead of|rather than|over|no longer|do(?:es)? not|don['’]t|doesn['’]t|stop|drop)\b[^,;.:()—–]{0,80}/gi,
    " ",
  )
}

function countNames(text: string, names: RegExp): number {
  return new Set(Array.from(text.matchAll(names), ([name]) => name.toLowerCase())).size
}

type Keyed = { key: string; names: RegExp }

/** Names that are also common words are left out, or must match the tool's own spelling. */
const tools: Keyed[] = [
  {
    key: "project.package_manager",
    names:
      /\b(?:npm|pnpm|yarn|bun|pipenv|poetry|uv|conda|composer|bundler)\b(?! (?:run|test|install|exec|add|build|lint|start|dev|ci|i|format|publish)\b)/gi,
  },
  {
    key: "project.test.framework",
    names:
      /\b(?:vitest|jest|mocha|jasmine|pytest|unittest|rspec|minitest|junit|nunit|xunit|phpunit|testify|cypress|playwright)\b/gi,
  },
  {
    key: "project.db.engine",
    names: /\b(?:postgres(?:ql)?|mysql|mariadb|sqlite|mongodb|dynamodb|cockroachdb|duckdb)\b/gi,
  },
  {
    key: "project.db.orm",
    names: /\b(?:prisma|drizzle|typeorm|sequelize|sqlalchemy|mongoose|kysely|hibernate|gorm|diesel|activerecord)\b/gi,
  },
  {
    key: "project.api.framework",
    names: /\b(?:express\.?js|fastify|hono|nest\.?js|django|flask|fastapi|rails|laravel|spring boot|actix|axum)\b/gi,
  },
  { key: "project.ui.framework", names: /\b(?:react|vue|svelte|angular|solid\.?js|preact|lit)\b/gi },
  {
    key: "project.language.main",
    names: /\b(?:typescript|javascript|python|golang|rust|kotlin|java|ruby|php|c#|elixir|scala)\b/gi,
  },
  { key: "project.http.client", names: /\b(?:axios|undici|ky|httpx|aiohttp|okhttp|reqwest|node-fetch)\b/gi },
  { key: "project.auth.method", names: /\b(?:jwts?|oauth2?|session cookies|auth0|clerk|passkeys)\b/gi },
  {
    key: "project.ci.platform",
    names: /\b(?:github actions|gitlab ci|circleci|jenkins|buildkite|azure pipelines)\b/gi,
  },
  {
    key: "project.deploy.platform",
    names: /\b(?:vercel|netlify|fly\.io|heroku|kubernetes|cloudflare workers|cloud run|ecs)\b/gi,
  },
]

const tastes: Keyed[] = [
  { key: "user.pref.async_style", names: /\basync\/await\b|\b(?:promises|callbacks)\b/gi },
  { key: "user.pref.comment_style", names: /\bcomments?\b/gi },
  { key: "user.pref.naming_convention", names: /\b(?:camelcase|snake_case|kebab-case|pascalcase)\b/gi },
  { key: "user.pref.test_style", names: /\btable[- ]driven\b|\b(?:snapshot|property) tests?\b/gi },
  { key: "user.pref.error_handling", names: /\b(?:exceptions|result types?|error codes)\b/gi },
  { key: "user.pref.explanation_style", names: /\b(?:explanations?|answers?|summar(?:y|ies))\b/gi },
]
