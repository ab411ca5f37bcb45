/** What one sentence speaks against. Code in it stands in backticks, as it was written. */
export type Prohibition = {
  sentence: string
  /** What is not to be done, in the form that it was said in: `push`, `edited`. */
  verb: string
  /** To what; of "use pnpm instead of npm" it is "npm". */
  object: string
  /** What makes it right all the same: what stands behind "without", "unless", "except". */
  unless: string
}

/** The sentences of a text that forbid something or put one thing in the place of another. What only tells that something does not happen is none. */
export function readProhibitions(text: string): Prohibition[] {
  const { masked, restore } = maskCode(text)
  return sentencesIn(masked).flatMap((sentence) =>
    forms
      .flatMap((form) => form(sentence))
      .map(({ verb, object, unless }) => ({
        sentence: restore(sentence),
        verb: verb.toLowerCase(),
        object: restore(object).trim(),
        unless: restore(unless).trim(),
      })),
  )
}

/** Blocks of code are left out; code in a line is one word to the grammar, whatever stands in it. */
function maskCode(text: string) {
  const spans: string[] = []
  const masked = text
    .replace(/^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[^\n]*$|(?![\s\S]))/gm, "\n")
    .replace(/[\ue000\ue001]/g, "")
    .replace(/`[^`\n]+`/g, (span) => `\ue000${spans.push(span) - 1}\ue001`)
  const restore = (part: string) => part.replace(/\ue000(\d+)\ue001/g, (_, index) => spans[Number(index)] ?? "")
  return { masked, restore }
}

const longestSentence = 600

function sentencesIn(text: string): string[] {
  return text
    .replace(/\*\*|__/g, "")
    .replace(/[‘’]/g, "'")
    .split(/(?<=[.!?])\s+(?=[\p{Lu}\ue000"([])|\n+/u)
    .map((sentence) => sentence.replace(/^\s*(?:[-*•>#]+|\d{1,2}[.)])\s+/, "").trim())
    .filter((sentence) => sentence !== "" && sentence.length <= longestSentence && !sentence.endsWith("?"))
}

type Form = (sentence: string) => Omit<Prohibition, "sentence">[]

const clauseStart = "(?:^|[,;:(—–] ?|\\b(?:and|but|so|or|please|we|you|agents|everyone|nobody|also|project|repo|team) )"
const notTo = "(?:never|do not(?: ever)?|don't(?: ever)?|avoid|stop|refrain from|no longer)"
const mayNot =
  "(?:must|should|may|shall|can|will)(?:(?: not|n't)(?: ever)?| never)|mustn't|shouldn't|shan't|cannot|can't"
const pronounced = (source: string) => new RegExp(source, "gi")

const forms: Form[] = [forbidding, forbidden, without, preferring]

/** "Never push to main", "agents must not edit …", "this project does not use …". */
function forbidding(sentence: string) {
  const start = pronounced(
    `(?:${clauseStart}${notTo}|\\b(?:we|you|agents|nobody|everyone|project|repo|team) (?:${mayNot}|never|does not|doesn't)) (?!be\\b|mind\\b)([a-z][a-z-]*)(?:[ .;!]|$)`,
  )
  return Array.from(sentence.matchAll(start), (match) => {
    const rest = sentence.slice(match.index + match[0].length)
    return { verb: match[1] ?? "", ...cut(rest) }
  })
}

/** "`dist/` must never be edited by hand", "force pushes are forbidden". */
function forbidden(sentence: string) {
  const passive = pronounced(
    `(?:${mayNot}|\\b(?:is|are) (?:never|not)(?: to)?) be (?:manually |directly |ever )?([a-z]+ed|written|run|put|built|sent)\\b`,
  )
  const banned = /\b(?:is|are) (?:strictly )?(?:forbidden|prohibited|banned|not allowed|off[- ]limits)\b/gi
  const subjects = [
    ...Array.from(sentence.matchAll(passive), (match) => ({
      at: match.index,
      end: match.index + match[0].length,
      verb: match[1] ?? "",
    })),
    ...Array.from(sentence.matchAll(banned), (match) => ({
      at: match.index,
      end: match.index + match[0].length,
      verb: "use",
    })),
  ]
  return subjects.map(({ at, end, verb }) => {
    const subject =
      sentence
        .slice(0, at)
        .split(/[,;:—–] /)
        .at(-1) ?? ""
    return { verb, object: subject, unless: cut(sentence.slice(end)).unless }
  })
}

/** "No `console.log` in src". */
function without(sentence: string) {
  const match = /^no (?=\ue000)/i.exec(sentence)
  return match ? [{ verb: "use", ...cut(sentence.slice(match[0].length)) }] : []
}

/** "Use pnpm instead of npm", "run rg, not grep", "prefer x over y". */
function preferring(sentence: string) {
  const instead = /\b(?:instead of|rather than)(?: using| running| with| the)? /gi
  const chosen = new RegExp(
    `${clauseStart}(?:always )?(use|uses|using|run|prefer|prefers|install|write)\\b[^;:—–]{1,80}?(?:,? (?:and |but )?not|,? never|${"(?<=prefers?\\b.*) over"}) (?!just\\b|only\\b|to\\b|yet\\b|the\\b)`,
    "gi",
  )
  return [instead, chosen].flatMap((form) =>
    Array.from(sentence.matchAll(form), (match) => {
      const { object, unless } = cut(sentence.slice(match.index + match[0].length))
      return { verb: "use", object: object.split(/,| (?:for|in|on|to|from|with|as|when|and) /)[0] ?? "", unless }
    }),
  )
}

const clauseEnd =
  /[.;!?](?:\s|$)|\s[—–-]\s|[—–]|:\s|\s\(|,\s*(?:use|run|prefer|always|never|ask|open|but|it|they|this|that|these|those|because|so|as|let|and (?:use|run|always|never|instead)|do not|don't|not|which|who|we|you|call|write|go|create|make|put|keep|instead|rather|only|even|since|if|when)\b|\b(?:unless|except|without|outside|other than|apart from|besides|instead|rather than|because|since|so that|until|before|after|when|whenever|while|if|which|in order to|to (?:avoid|prevent|keep|make|ensure|fix|get|silence))\b/i

/** What belongs to the verb, and the condition that follows. */
function cut(rest: string): { object: string; unless: string } {
  const end = clauseEnd.exec(rest)
  if (!end) return { object: rest, unless: "" }
  const condition = /^(?:unless|except|without|outside|other than|apart from|besides)/i.test(end[0].trim())
  const behind = rest.slice(end.index + end[0].length)
  return {
    object: rest.slice(0, end.index),
    unless: condition ? (behind.split(/[.;:!?](?:\s|$)|\s[—–]\s/)[0] ?? "") : "",
  }
}
