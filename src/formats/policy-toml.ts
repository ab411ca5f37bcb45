import { parse, stringify, TomlError } from "smol-toml"
import { type Policy, ruleNames } from "./policy.ts"
import { didYouMean } from "./text.ts"

export type PolicyFile = {
  /** The content of the file, every value of the right type. */
  policy: PartialPolicy
  /** Keys that no policy has; they are skipped. */
  warnings: string[]
  /** Invalid values: a wrong type, a share above one. Each with path and line. */
  problems: string[]
}

export type PartialPolicy = DeepPartial<Policy>
type DeepPartial<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { [Key in keyof Value]?: DeepPartial<Value[Key]> }
    : Value

/** Reads a `memory_policy.toml`. Never throws on content: problems are returned as messages. */
export function parsePolicy(text: string, path: string): PolicyFile {
  const source = text.replace(/^\uFEFF/, "")
  const file: PolicyFile = { policy: {}, warnings: [], problems: [] }
  try {
    const table = parse(source, { unsafeKeyBehaviour: "throw" })
    file.policy = readTable(table, policyShape, [], { source, path, ...file })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [, reason] = /^Invalid TOML document: (.*)/.exec(error.message) ?? []
    file.problems.push(`${path}:${error.line} is not TOML: ${reason ?? "it cannot be read"}`)
  }
  return file
}

/** The expected value: a table of known keys, of any keys, or a plain value, with a description for messages. */
type Shape = { keys: Record<string, Shape> } | { every: Shape } | { plain: (value: unknown) => boolean; words: string }

type PolicyProblems = { source: string; path: string; warnings: string[]; problems: string[] }

function readTable(table: object, shape: Shape, above: string[], reading: PolicyProblems): Record<string, unknown> {
  const read: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(table)) {
    const place = [...above, key]
    const expected = "every" in shape ? shape.every : "keys" in shape ? known(shape.keys, key) : undefined
    if (!expected) reading.warnings.push(`${where(place, reading)} ${unknownKey(place, shape)}`)
    else if ("plain" in expected) {
      if (expected.plain(value)) read[key] = value
      else reading.problems.push(`${where(place, reading)} ${place.join(".")} must be ${expected.words}`)
    } else if (isTable(value)) read[key] = readTable(value, expected, place, reading)
    else reading.problems.push(`${where(place, reading)} ${place.join(".")} must be a table`)
  }
  return read
}

function known(keys: Record<string, Shape>, key: string): Shape | undefined {
  return Object.hasOwn(keys, key) ? keys[key] : undefined
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

function where(place: string[], { source, path }: PolicyProblems): string {
  return `${path}:${lineOfKey(source, place)}`
}

function unknownKey(place: string[], shape: Shape): string {
  const meant = "keys" in shape ? didYouMean(place.at(-1) ?? "", Object.keys(shape.keys)) : undefined
  const full = [...place.slice(0, -1), meant].join(".")
  return `${place.join(".")} is not a policy key; it was ignored${meant ? `. Did you mean ${full}?` : ""}`
}

const count: Shape = { plain: (value) => isNumber(value) && value >= 0, words: "a number, 0 or more" }
const share: Shape = { plain: (value) => isNumber(value) && value >= 0 && value <= 1, words: "a number from 0 to 1" }
const weight: Shape = { plain: isNumber, words: "a number" }
const flag: Shape = { plain: (value) => typeof value === "boolean", words: "true or false" }
const days: Shape = {
  plain: (value) => value === "never" || (isNumber(value) && value >= 0),
  words: 'a number of days, or "never"',
}

const ids: Shape = {
  plain: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  words: "a list of ids",
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value)
}

function oneOf(...words: string[]): Shape {
  return {
    plain: (value) => words.some((word) => word === value),
    words: words.map((word) => `"${word}"`).join(" or "),
  }
}

function forEachKind(rule: Shape): Shape {
  return { keys: Object.fromEntries(ruleNames.map((name) => [name, rule])) }
}

const similarities = {
  duplicate_similarity: share,
  refine_similarity: share,
  conflict_similarity: share,
}

const policyShape: Shape = {
  keys: {
    promotion: forEachKind({ keys: { min_opportunities: count, min_use_ratio: share, min_regret_hits: count } }),
    deprecation: forEachKind({ keys: { min_opportunities: count, max_use_ratio: share } }),
    decay: forEachKind({ keys: { max_inactive_days: days } }),
    regret_weights: { keys: { alpha_errors: count, beta_retries: count, gamma_tokens: count } },
    baseline: { keys: { window: count, min_episodes: count, holdout_rate: share } },
    ttl: {
      keys: {
        default: { keys: { short_term_days: count, emergency_days: count } },
        on_promotion: { keys: { extend_by_days: count, remove_on_long_term: flag } },
      },
    },
    retrieval: {
      keys: {
        budget_tokens: count,
        top_k: count,
        opportunity_similarity: share,
        guard_lane: share,
        guard_max: count,
        keyed_lane: share,
        min_confidence: share,
        weights: {
          keys: {
            semantic_similarity: weight,
            status_active_boost: weight,
            tier_boost: weight,
            kind_boost: weight,
            use_count_factor: weight,
          },
        },
      },
    },
    commit: { keys: { ...similarities, drop_confidence: share } },
    similarity: { every: { keys: { opportunity_similarity: share, ...similarities } } },
    writer: { keys: { max_memories_per_episode: count, max_attempts: count, allow_team: flag, prefilter: flag } },
    episode: {
      keys: {
        idle_minutes: count,
        gap_minutes: count,
        max_events: count,
        max_tokens: count,
        boundary_score: weight,
        boundary_weights: {
          keys: {
            gap_long: weight,
            gap_short: weight,
            opener: weight,
            continuation: weight,
            low_overlap: weight,
            high_overlap: weight,
            new_files: weight,
            known_files: weight,
            success: weight,
            failure: weight,
            branch: weight,
            model: weight,
          },
        },
      },
    },
    graduate: { keys: { mode: oneOf("propose", "auto", "off") } },
    evaluate: { keys: { every_episodes: count, every_hours: count } },
    guards: { keys: { ask: ids } },
  },
}

const modes = ["off", "propose", "auto"] as const // each lets out more than the one before

/**
 * What a project's policy file may override in the user's: it comes with a clone, so it cannot change what the writer does for this user
 * or when the user is asked, cannot require less evidence before a memory counts, and cannot let more learned memories into the repository
 * than the user does. Anything beyond that is removed, with a warning.
 */
export function limitProjectPolicy(
  given: PartialPolicy,
  file: { text: string; path: string },
  user: Policy,
): { policy: PartialPolicy; warnings: string[] } {
  const { writer, guards, graduate, ...others } = given
  const warn = (key: string[], rest: string) =>
    `${file.path}:${lineOfKey(file.text, key)} ${key.join(".")} ${rest}; it was ignored`
  const own = Object.entries({ writer, guards }).flatMap(([table, keys]) =>
    Object.keys(keys ?? {}).map((key) => [table, key]),
  )
  const { policy, below } = withoutWeakerValues(others, user)
  const warnings = [
    ...own.map((key) => warn(key, "is allowed only in your own memory_policy.toml")),
    ...below.map(({ key, floor }) => warn(key, `is below the ${floor} of your own policy`)),
  ]
  if (graduate?.mode === undefined) return { policy, warnings }
  if (modes.indexOf(graduate.mode) <= modes.indexOf(user.graduate.mode))
    return { policy: { ...policy, graduate }, warnings }
  const refused = warn(["graduate", "mode"], `= "${graduate.mode}" would share more than your own policy allows`)
  return { policy, warnings: [...warnings, refused] }
}

type Below = { key: string[]; floor: number }

/** Without thresholds that ask for less than the user's do: how often a memory must have helped, and how sure it must be. */
function withoutWeakerValues(given: PartialPolicy, user: Policy): { policy: PartialPolicy; below: Below[] } {
  const below: Below[] = []
  const limit = <Table extends object>(
    place: string[],
    table: Table,
    floors: Partial<Record<string, number>>,
  ): Table => {
    const kept = Object.entries(table).filter(([key, value]) => {
      const floor = floors[key]
      const isLess = floor !== undefined && typeof value === "number" && value < floor
      if (isLess) below.push({ key: [...place, key], floor })
      return !isLess
    })
    return Object.fromEntries(kept) as Table
  }
  const { promotion, retrieval, commit, ...policy } = given
  const rules = Object.entries(promotion ?? {}).map(([name, rule]) => {
    const floors = user.promotion[name] ?? (name === "gotcha" ? user.promotion.pattern : undefined)
    return [name, limit(["promotion", name], rule ?? {}, floors ?? user.promotion.default)] as const
  })
  const { min_confidence } = user.retrieval
  const { drop_confidence } = user.commit
  return {
    policy: {
      ...policy,
      ...(promotion ? { promotion: Object.fromEntries(rules) } : {}),
      ...(retrieval ? { retrieval: limit(["retrieval"], retrieval, { min_confidence }) } : {}),
      ...(commit ? { commit: limit(["commit"], commit, { drop_confidence }) } : {}),
    },
    below,
  }
}

/**
 * The line, from 1, on which a TOML text sets a key or, if it is inside an inline table, the table that contains it. Parsers keep no
 * positions for keys; this one reads headers and the beginnings of lines, which is all that a settings file has.
 */
function lineOfKey(source: string, key: readonly string[]): number {
  let header: string[] = []
  let best = { line: 1, common: 0 }
  for (const [index, line] of source.split("\n").entries()) {
    const opened = headerOf(line)
    if (opened) header = opened
    const set = opened ?? keyOf(line)
    if (!set) continue
    const common = commonLength(opened ?? [...header, ...set], key)
    if (common > best.common) best = { line: index + 1, common }
  }
  return best.line
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const differs = one.findIndex((part, at) => part !== other[at])
  return differs === -1 ? one.length : differs
}

const part = `(?:[\\w-]{1,100}|"[^"]{0,200}"|'[^']{0,200}')`
const dotted = `${part}(?:[ \\t]{0,9}\\.[ \\t]{0,9}${part}){0,9}`
const header = new RegExp(`^[ \\t]{0,80}\\[{1,2}[ \\t]{0,9}(${dotted})[ \\t]{0,9}\\]`)
const assignment = new RegExp(`^[ \\t]{0,80}(${dotted})[ \\t]{0,80}=`)

function headerOf(line: string): string[] | undefined {
  return partsOf(header.exec(line)?.[1])
}

function keyOf(line: string): string[] | undefined {
  return partsOf(assignment.exec(line)?.[1])
}

function partsOf(text: string | undefined): string[] | undefined {
  return text?.match(new RegExp(part, "g"))?.map((found) => found.replace(/^["']|["']$/g, ""))
}

/** A policy in the form of its file, every key with its effective value. */
export function writePolicy(policy: Policy): string {
  return stringify(policy)
}
