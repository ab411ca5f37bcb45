import type { Episode, EpisodeEvent } from "../../../memories/episode.ts"
import type { KnownMemory } from "../../../memories/writer.ts"
import { type LastingSentence, lastingSentences, learnedFrom, type Weights } from "../../words/lasting.ts"
import { ruleText } from "../../words/rule-text.ts"
import { type StatementKind, statementKindOf } from "../../words/statement-kind.ts"
import { contentWords, isSaid } from "../sentences.ts"
import type { Lesson } from "./rules-writer.ts"

/** Every lasting sentence of the user's messages, as a memory of its own. `corrections` are the events that correct. */
export function learnFromWords(
  { events }: Pick<Episode, "events">,
  {
    known,
    corrections,
    weights,
  }: { known: readonly KnownMemory[]; corrections: ReadonlySet<number>; weights?: Weights | undefined },
): Lesson[] {
  return events.flatMap((event, index) =>
    isSaid(event) && event.incident === undefined
      ? rulesIn(event, weights).flatMap((rule) => {
          const ended = findEnded(rule.words, known)
          if (ended === undefined && rule.score < learnedFrom) return []
          const lesson = toLesson(rule, { index, isCorrection: corrections.has(index) }, events)
          return ended === undefined ? lesson : { ...lesson, ends: ended.id }
        })
      : [],
  )
}

/** A rule in the user's words, as a sentence that can be read alone. */
type StatedRule = LastingSentence & { text: string; kind: StatementKind }

/** The rules stated in a message. */
export function findStatedRules(message: string, least?: number, weights?: Weights): StatedRule[] {
  return lastingSentences(message, least, weights).flatMap((sentence) => {
    const text = ruleText(sentence)
    return text === undefined ? [] : [{ ...sentence, text, kind: statementKindOf(sentence.words) }]
  })
}

/** A sentence that ends a known memory need not look like a rule. */
const mayEnd = -2

function rulesIn({ words, summary }: EpisodeEvent, weights: Weights | undefined): StatedRule[] {
  return findStatedRules(words ?? summary, mayEnd, weights)
}

function toLesson(
  rule: StatedRule,
  { index, isCorrection }: { index: number; isCorrection: boolean },
  events: readonly EpisodeEvent[],
): Lesson {
  const { text, kind } = rule
  const isTaste = /^The user\b/.test(text) || kind === "preference"
  const key = chooseKey(text, isTaste)
  const isAgainst = kind === "never"
  const isGuard = isAgainst && forbidsHarm(text)
  const isFact = kind === "fact" || kind === "remember"
  const pathPrefix = folderOf(text, events)
  return {
    kind: isGuard ? "guard" : isTaste ? "preference" : isFact && key === undefined ? "note" : "invariant",
    tier: isGuard ? "emergency" : "long_term",
    polarity: isAgainst ? -1 : 1,
    text,
    confidence: rule.score >= certain ? 0.9 : 0.75,
    evidence: {
      source: isCorrection ? "user_correction" : "explicit_statement",
      frustration: events[index]?.frustration ?? "none",
      event: index,
    },
    ttlDays: null, // it applies until the user withdraws it
    ...(key !== undefined && { key }),
    ...(pathPrefix !== undefined && { pathPrefix }),
  }
}

/** From this score on, hardly any sentence of the labelled messages is not lasting. */
const certain = 1.5

/** A folder named in the rule that contains every edited file. */
function folderOf(rule: string, events: readonly EpisodeEvent[]): string | undefined {
  const edited = events.flatMap(({ action, file }) => (action === "edit" && file !== undefined ? [file] : []))
  const [named] =
    rule.match(/(?<![\w/.])[\w@.-]+(?:\/[\w@.-]+)+\/?/) ??
    rule.match(/(?<=\b(?:in|under|inside|within) (?:the )?`?)[\w-]+(?=`?(?: (?:folder|directory|package)\b|\/))/i) ??
    []
  const folder = named?.replace(/[/.]+$/, "")
  if (folder === undefined || folder.includes("..") || edited.length === 0) return undefined
  return edited.every((file) => file.startsWith(`${folder}/`)) ? folder : undefined
}

/**
 * The key of a rule that chooses one tool or style among several: "we use pnpm here, not npm" has
 * `project.package_manager`. Undefined if nothing is chosen, or more than one.
 */
export function chooseKey(sentence: string, isOwnTaste: boolean): string | undefined {
  if (!choice.test(sentence)) return undefined
  const plain = sentence.replace(/`[^`]*`/g, " ") // a command in code is not a choice
  const favoured = withoutRejected(plain).replace(purpose, " ")
  const mentioned = [...(isOwnTaste ? tastes : []), ...tools].filter(({ names }) => countNames(favoured, names) === 1)
  const [only, ...others] = mentioned
  if (!only || others.length > 0) return undefined
  return tastes.includes(only) || isChosen(plain, favoured, only.names) ? only.key : undefined
}

/** "uv for Python": what it is for is not chosen. */
const purpose = /(?<=\w )(?:for|für|pour|para|voor) (?:the |our )?[\w.#+-]+/gi

/**
 * A tool is chosen if a verb of choice precedes it, or another of its kind is rejected; otherwise it is only mentioned.
 */
function isChosen(plain: string, favoured: string, names: RegExp): boolean {
  if (countNames(plain, names) > countNames(favoured, names)) return true
  return Array.from(favoured.matchAll(names)).some(({ index }) => choosing.test(favoured.slice(0, index)))
}

const choosing =
  /(?:\b(?:verwenden|nutzen|benutzen|nehmen|utilis(?:e|ons|ez)|us(?:amos|iamo|a|ar)|utiliz(?:amos|a|ar)|gebruiken|pas(?:amos|sés|sé)? (?:a|à)|umgestiegen|migr(?:amos|é|és)? (?:\S+ )?(?:a|à|para))(?: nur| immer| hier| toujours| ici| siempre| aquí| sempre| aqui)? |[用使改换換] ?|\b(?:us(?:e|es|ing)|prefer(?:s|red)?|(?:switch|mov|migrat)(?:ed|e)? (?:over )?to|stick (?:to|with)|go with|runs? (?:on|with)|deploy(?:s|ed)? (?:to|with|on)|written in|is|are|on)(?: only| just| always| the| our)? )$/i

const choice =
  /[用使改换換]|\b(?:verwenden|nutzen|benutzen|nehmen|umgestiegen|gebruiken|utili[sz]\w*|us(?:amos|iamo|ar?)|pas(?:amos|sés?)|migr\w+|nicht|statt|pas|us(?:e|es|ing)|prefer(?:s|red)?|(?:switch|mov|migrat)(?:ed|e)?\b|stick (?:to|with)|go with|write|run|instead of|rather than|not|on)\b/i

/** The text after "not", "instead of" or "never use", up to the end of its clause. */
function withoutRejected(sentence: string): string {
  return sentence.replace(
    /(?:不要用?|不用|别用|而不是|不是|\b(?:nicht|kein(?:e[nrms]?)?|statt|anstatt|nie|pas|jamais|plutôt que|au lieu d[eu]|en (?:vez|lugar) de|em vez de|não|nunca|invece di|niet|not|never|avoid|without|instead of|rather than|over|from(?= [\w.-]+ to\b)|no longer|do(?:es)? not|don['’]t|doesn['’]t|stop|drop)\b)[^,，、。;；.:：()—–]{0,80}?(?= to [\w.-]+[.!]?$|[,，、。;；.:：()—–]|$)/gi,
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
      /\b(?:npm|pnpm|yarn|bun|pip|pipenv|poetry|pdm|uv|conda|composer|bundler)\b(?! (?:run|test|install|exec|add|build|lint|start|dev|ci|i|format|publish)\b)/gi,
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

/**
 * Whether a prohibition concerns something irreversible and deserves a warning: an action and its object, not a single
 * word.
 */
export function forbidsHarm(rule: string): boolean {
  return deeds.some((deed) => deed.test(rule))
}

const deeds = [
  /\b(?:commit|push|merg)(?:e|es|ing|ting)?\b.{0,40}\b(?:to|into|on) (?:the )?(?:main|master|trunk|prod|production|release|default branch)\b/i,
  /\bforce[- ]?push|\bpush(?:ing)?\b.{0,30}(?:--force|\s-f\b)|\brm -r?f|\breset --hard\b|\bgit clean\b/i,
  /\b(?:delet|drop|wip|eras|destroy|purg|truncat|overwrit|remov)(?:e|p?ing)?\b.{0,40}\b(?:data|databases?|db|tables?|schemas?|columns?|rows|records|backups?|buckets?|volumes?|branch(?:es)?|migrations?|users|accounts?|customers?|home directory|clusters?)\b/i,
  /\bdeploy(?:ing)?\b|\b(?:publish|releas|ship)(?:e|ing)?\b.{0,40}\b(?:npm|pypi|crates\.io|registry|packages?|prod|production|versions?|without asking)\b/i,
  /\b(?:run|execut|test|touch|connect|point|writ|migrat|seed|appl|restart|chang|edit|modif|work)(?:y|e|ing)?\b.{0,60}\b(?:prod|production|live)(?: (?:db|database|data|server|system|cluster|environment)s?)?\b(?! (?:code|builds?|bundles?|mode|files?|dependenc))/i,
  /\b(?:terraform|tofu|pulumi) (?:apply|destroy|up)\b|\bkubectl (?:apply|delete|scale)\b|\bhelm (?:upgrade|uninstall)\b/i,
  /\b(?:expos|commit|push|log|print|shar|leak|hard-?cod|stor|past|send|put|includ|show|upload|check)(?:e|ting|ging|ing)?\b.{0,50}(?:\b(?:secrets?|credentials?|passwords?|tokens?|api keys?|private keys?|personal data|pii|customers?)\b|\.env\b)/i,
  /\b(?:charg|refund|bill|e-?mail|mail|messag|notif)(?:e|y|ing|ying)?\b.{0,20}\b(?:customers?|users?|cards?|clients?)\b/i,
]

/** The known memory that a sentence ends: it permits what was forbidden, or says that a tool is no longer used. */
function findEnded(sentence: string, known: readonly KnownMemory[]): KnownMemory | undefined {
  const plain = sentence.replace(/[‘’]/g, "'")
  const action = permission.exec(plain)?.[1] ?? allowed.exec(plain)?.[1]
  if (action !== undefined) {
    const words = contentWords(action.replace(/^(\w{3,})ing\b/i, "$1"))
    return known.find(
      ({ text }) =>
        forbids.test(text) && (!wantsAnswer.test(text) || forGood.test(plain)) && shares(words, contentWords(text)),
    )
  }
  for (const form of endings) {
    const thing = form
      .exec(plain)
      ?.slice(1)
      .find((name) => name !== undefined)
      ?.toLowerCase()
      .replace(/[.-]+$/, "")
    const old = thing && known.find(({ text }) => recommends(text, thing))
    if (old) return old
  }
  return undefined
}

const permission =
  /\b(?:(?:it's|it is|is) (?:now )?(?:fine|ok|okay|allowed|alright) to|you (?:can|may) now|you (?:can|may)(?= .*\b(?:from now on|again|without asking)\b)) (.+?)(?: (?:from now on|again|now))?[.!]?$/i
/** "Pushing to main is allowed now." */
const allowed =
  /^(\w+ing .+?) (?:is|are) (?:now )?(?:fine|ok|okay|allowed|alright)(?: (?:from now on|again|now))?[.!]?$/i

const forbids = /\b(?:never|don't|do not|must not|no|avoid|without asking|ask)\b/i

/** "Never deploy without asking": an answer to that is a permission for once, unless it says more. */
const wantsAnswer = /\b(?:ask(?:s|ed|ing)?|permission|approval|confirm\w*|go-ahead)\b/i
const forGood = /\b(?:from now on|without asking|always|any ?time|in general|any ?more|no longer)\b/i

/** "Moved to bun" alone does not say what was left; the memory's key does. */
const endings = [
  /\b(?:switch|mov|migrat|chang)ed (?:over )?from ([\w.-]+)/i,
  /\b([\w.-]+) (?:is|are) (?:gone|history|dead|deprecated|(?:not|no longer) (?:used|supported|needed)(?: any ?more)?)\b/i,
  /\b([\w.-]+) (?:was|were|(?:has|have) been) (?:dropped|removed|replaced|retired)(?=[,.;!]|$| (?:by|with|in favou?r|last|this|since|now)\b)/i,
  /\b(?:no longer (?:use|need|support)|(?:don't|do not) (?:use|need|support)(?= \S+ any ?more)|got rid of|dropped|removed|replaced|forget the|stop using) ([\w.-]+)/i,
  /\b(?:umgestiegen|gewechselt|migriert) von ([\w.-]+)|\bvon ([\w.-]+) (?:auf|zu) [\w.-]+ (?:um|gewechselt|migriert)|\b(?:kein|nicht mehr) ([\w.-]+)(?= mehr\b)|\bverwenden ([\w.-]+) nicht mehr/i,
  /\bn'utilis\w+ plus ([\w.-]+)|\bpass[ée]s? de ([\w.-]+) à/i,
  /\bya no (?:usamos|se usa) ([\w.-]+)|\b(?:pasamos|migramos|cambiamos|mudamos) de ([\w.-]+) (?:a|para)\b|\bnão usamos mais (?:o )?([\w.-]+)/i,
  /(?:不再(?:使)?用|不用了|弃用了?) ?([\w.-]+)|([\w.-]+) ?(?:已经)?(?:不用了|弃用了|は使わなくなりました|はもう使いません)|从 ?([\w.-]+) ?(?:换成|换到|迁移到|改用)|([\w.-]+) ?から ?[\w.-]+ ?に移行/,
]

function recommends(text: string, thing: string): boolean {
  const at = text.toLowerCase().search(new RegExp(`(?<![\\w.-])${thing.replace(/[.\\-]/g, "\\$&")}(?![\\w-])`))
  return at >= 0 && !/\b(?:not|never|no|don't|instead of|rather than|without)[^,;.]*$/i.test(text.slice(0, at))
}

/** Two thirds of the action's words: "push to main" is in "Never push to main". */
function shares(action: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const common = [...action].filter((word) => other.has(word)).length
  return action.size > 0 && common >= (action.size * 2) / 3
}
