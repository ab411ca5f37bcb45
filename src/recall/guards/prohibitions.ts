/** What one sentence forbids. Code is in backticks, as written. */
export type Prohibition = {
  sentence: string
  /** The forbidden action in its original form: `push`, `edited`. */
  verb: string
  /** Its object; for "use pnpm instead of npm" it is "npm". */
  object: string
  /** The exception: the text after "without", "unless", "except". */
  unless: string
}

/** The sentences of a text that forbid or replace something. Statements of fact do not count. */
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

/** Code blocks are dropped; inline code is one word to the grammar. */
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

type Found = Omit<Prohibition, "sentence">

const forms = [forbidding, replacing, forbidden, refusing, askingFirst, keepingAway, inOtherLanguages]

const clauseStart = "(?:^|[,;:(—–] ?|\\b(?:and|but|so|or|please|we|you|agents|everyone|nobody|also|project|repo|team) )"
const notTo = "(?:never(?: ever)?|do not(?: ever)?|don'?t(?: ever)?|avoid|stop|refrain from|no longer)"
const mayNot =
  "(?:must|should|may|shall|can|will)(?:(?: not|n't)(?: ever)?| never)|mustn't|shouldn't|shan't|cannot|can't"
const somebody = "(?:we|you|agents|nobody|everyone|project|repo|team)"

/** "Never push to …", "agents must not edit …", "this project does not use …"; then "No `console.log` in …", "avoid `x`". */
const prohibitions = [
  new RegExp(
    `(?:${clauseStart}${notTo}|\\b${somebody} (?:${mayNot}|never|does not|doesn't)) (?!be\\b|mind\\b)([a-z][a-z-]*)(?:[ .;!]|(?=,)|$)`,
    "gi",
  ),
  new RegExp(
    `(?:${clauseStart}avoid|(?:^|[,;:(—–] ?|\\bplease )(?:no|kein(?:e[nrms]?)?|pas de|nada de|sem|nunca uses?|jamais de)) (?=\ue000)(?!\ue000\\d+\ue001 (?:(?:is|are) )?(?:needed|required|necessary|exists?|yet|available|found)\\b)`,
    "gi",
  ),
]

function forbidding(sentence: string): Found[] {
  return findAll(sentence, [...prohibitions, banned]).map(({ verb = "use", end }) => ({
    verb,
    ...cut(sentence.slice(end)),
  }))
}

/** "… instead of npm", "use pnpm, not npm", "prefer pnpm over npm". */
const replacements = [
  /\b(?:instead of|rather than)(?: using| running| with| the)? /gi,
  new RegExp(
    `${clauseStart}(?:always )?(?:uses?|using|run|install|write)\\b[^;:—–]{1,80}?(?:,? (?:and |but )?not|,? never) (?!(?:just|only|to|yet|the)\\b)`,
    "gi",
  ),
  new RegExp(`${clauseStart}(?:always )?prefers?\\b[^;:—–]{1,80}? (?:over|not) (?!(?:just|only|to|the)\\b)`, "gi"),
]

/** What is replaced, not the replacement. */
function replacing(sentence: string): Found[] {
  return findAll(sentence, replacements).map(({ end }) => {
    const { object, unless } = cut(sentence.slice(end))
    return { verb: "use", object: object.split(/,| (?:for|in|on|to|from|with|as|when|and) /)[0] ?? "", unless }
  })
}

/** "`dist/` must never be edited by hand", "force pushes are forbidden". */
const bans = [
  new RegExp(
    `(?:${mayNot}|\\b(?:is|are) (?:never|not)(?: to)?) be (?:manually |directly |ever )?([a-z]+ed|written|run|put|built|sent)\\b`,
    "gi",
  ),
  /\b(?:is|are) (?:strictly )?(?:forbidden|prohibited|banned|not allowed|off[- ]limits)\b(?! to\b)/gi,
]

/** "It is forbidden to edit …", "you are not allowed to push", but not "viewers are not allowed to push". */
const banned =
  /\b(?:it|this|we|you|agents?|assistants?|nobody|no one|everyone|anyone)(?:'s|'re| is| are) (?:strictly )?(?:forbidden|prohibited|not allowed|not permitted)(?: for (?:you|agents|anybody|anyone|us))? to ([a-z][a-z-]*)\b/gi

function forbidden(sentence: string): Found[] {
  return findAll(sentence, bans).map(({ verb, start, end }) => {
    const object =
      sentence
        .slice(0, start)
        .split(/[,;:—–] /)
        .at(-1) ?? ""
    const isFile = /^(?:the |our )?[\w ]*\(?\ue000\d+\ue001\)?\s*$/i.test(object) && /off[- ]limits/i.test(sentence)
    return { verb: verb ?? (isFile ? "touch" : "use"), object, unless: cut(sentence.slice(end)).unless }
  })
}

/** "Stay away from the migrations folder", "hands off `infra/`", "leave `vendor/` alone". */
function keepingAway(sentence: string): Found[] {
  const [, away, alone] =
    /\b(?:(?:stay|keep) (?:away from|out of)|keep your hands off|hands off) (.*)$|(?:^|[,;:] ?|\b(?:and|please) )leave (?:everything (?:in|under|inside|below) )?(.{1,120}?) (?:alone|as (?:it is|they are|is)|untouched)\b/i.exec(
      sentence,
    ) ?? []
  const object = away ?? alone
  return object === undefined ? [] : [{ verb: "touch", ...cut(object) }]
}

/** "No force pushes", "no commits on main". */
function refusing(sentence: string): Found[] {
  const [, force, noun = "", rest = ""] =
    /^(?:please,? )?no (?:more )?(?:direct )?(force[- ])?(commit|push|merge|rebase|amend|deploy|publish|stash)(?:e?s|ing|ings|ments)?\b(?! (?:was|were|is|are|has|had|can|could|will|notifications?|buttons?|messages?)\b)(.*)$/i.exec(
      sentence,
    ) ?? []
  return noun === "" ? [] : [{ verb: force === undefined ? noun : "force-push", ...cut(rest) }]
}

/** "Ask me before pushing", "check with us before you run migrations", "don't deploy without asking" is read as a prohibition anyway. */
function askingFirst(sentence: string): Found[] {
  const [, verb, rest = ""] =
    /\b(?:ask|check with|confirm with|talk to|consult|get (?:my|our) (?:ok|okay|approval|permission))\b[^.;]{0,40}?\bbefore (?:you |doing |making |any )*([a-z][a-z-]+)\b(.*)$/i.exec(
      sentence,
    ) ?? []
  return verb === undefined ? [] : [{ verb: plainVerb(verb), ...cut(rest) }]
}

/** pushing, running, force-pushing: push, run, force-push. */
function plainVerb(verb: string): string {
  const stem = verb.replace(/ing$/i, "")
  if (stem === verb) return verb
  return /(?:mm|nn|pp|tt|dd|gg)$/.test(stem) && !/add$/.test(stem) ? stem.slice(0, -1) : stem
}

/** What a rule in another language forbids, or wants to be asked for: only deeds that a call shows for certain. */
function inOtherLanguages(sentence: string): Found[] {
  const isRefused = foreignNo.test(sentence)
  if (!isRefused && !foreignAsk.test(sentence)) return []
  const plain = sentence.replace(/[\ue000\ue001]/g, "`")
  const branch = /(?<![\w/-])(main|master|trunk|develop|production)(?![\w/-])/i.exec(plain)?.[1]
  if (/--no-verify/.test(plain)) return [{ verb: "use", object: "--no-verify", unless: "" }]
  for (const [deed, verb] of foreignDeeds) {
    if (!deed.test(plain)) continue
    if (verb === "push" && /force/i.test(plain)) return [{ verb: "force-push", object: "", unless: "" }]
    if (verb === "push" || verb === "commit" || verb === "merge") {
      if (branch === undefined && verb === "merge") return []
      return [{ verb, object: branch === undefined ? "" : `to ${branch}`, unless: "" }]
    }
    if (verb === "use") {
      if (isFact.test(plain)) return []
      const code = refusedIn(sentence, /\ue000\d+\ue001/g)
      return code === undefined ? [] : [{ verb, object: code, unless: "" }]
    }
    const path = refusedIn(sentence, paths) ?? sentence.match(paths)?.[0]
    if (verb === "edit" || verb === "delete") return path === undefined ? [] : [{ verb, object: path, unless: "" }]
    return [{ verb, object: "", unless: "" }]
  }
  return []
}

const paths = /\ue000\d+\ue001|[\w@.-]*\/[\w@./*-]*|[\w-]+\.(?:lock|json|ya?ml|toml|proto)\b/g

/** What a negation is about: what follows it in its clause, else what precedes it. A condition forbids nothing. */
function refusedIn(sentence: string, form: RegExp): string | undefined {
  const clause = sentence.split(clauses).find((each) => foreignNo.test(each) && !condition.test(each))
  if (clause === undefined) return undefined
  const at = isAtEnd.test(clause) ? clause.length : clause.search(foreignNo)
  const found = Array.from(clause.matchAll(form))
  return (found.find(({ index }) => index > at) ?? found.at(-1))?.[0]
}

const clauses = /[,，、;；]|(?<=\s)(?:und|sondern|aber|et|mais|y|sino|pero|e|mas)(?=\s)|而是|而|但|(?<=ないで)(?!く)/
const condition = /^\s*(?:wenn|falls|sofern|si|s'il|quand|lorsque|se|caso|quando|cuando|如果|若|当|もし)(?![a-z])/i
/** "`x` is not used", which forbids nothing. */
const isFact =
  /(?<!\p{L})(?:wird|werden (?:\S+ ){0,2}(?:nicht|nie)|n'est (?:pas|plus)|ne sont (?:pas|plus)|se usan?)(?!\p{L})/iu
/** The negation follows the verb, which follows its object. */
const isAtEnd = /しない|するな|禁じ|ないで/

const foreignNo =
  /(?<![\p{L}])(?:niemals|nie|nicht|keine?n?|jamais|pas|nunca|jam[aá]s|n[aã]o)(?![\p{L}])|^no (?:hagas|hacer|toques|edites|modifiques|uses|subas|fusiones|borres)\b|不要|不得|不能|不可(?!变)|禁止|(?<![特分区级类个差告])别(?![的人名处])|勿|永远不|しないで|しない(?!場合|と|ため|限り|ように)|するな|禁じ|ないで/iu
const foreignAsk =
  /\b(?:frag\w*|demande\w*|preg[uú]nta\w*|pergunt\w*|consulta\w*)\b.*\b(?:bevor|vor|avant|antes)\b|\b(?:bevor|vor|avant|antes)\b.*\b(?:frag\w*|demande\w*|preg[uú]nta\w*|pergunt\w*)\b|先问|询问|聞いて|確認して/iu

const foreignDeeds: [RegExp, string][] = [
  [/rebas/i, "rebase"],
  [/\bpush|pouss|推送|プッシュ|\bsub[aei]\w* (?:a|los|tus)/i, "push"],
  [/commit|提交|コミット/i, "commit"],
  [/\bmerg|fusion|合并|マージ/i, "merge"],
  [/deploy|d[ée]ploi|despl[ie]e?g|部署|デプロイ/i, "deploy"],
  [
    /bearbeit|[äa]nder|anfass|\bfass\w* .*\ban\b|anr[üu]hr|modifi|touche|[ée]dit|toque|\bcambi|修改|编辑|改动|編集|変更|触/i,
    "edit",
  ],
  [/nutz(?!er)|verwend|utilis(?!at)|utiliz(?!ad)|\bus(?:a|ar|e|es)\b|使用|使う|使わ/i, "use"],
  [/l[öo]sch|supprim|\bborr|elimin|apag|删除|削除/i, "delete"],
]

function findAll(sentence: string, patterns: readonly RegExp[]) {
  return patterns
    .flatMap((pattern) => Array.from(sentence.matchAll(pattern)))
    .map((match) => ({ verb: match[1], start: match.index, end: match.index + match[0].length }))
}

const clauseEnd =
  /[.;!?](?:\s|$)|\s[—–-]\s|[—–]|:\s|\s\((?!\ue000\d+\ue001\))|,\s*(?:use|run|prefer|always|never|ask|open|but|it|they|this|that|these|those|because|so|as|let|and (?:use|run|always|never|instead)|do not|don't|not|which|who|we|you|call|write|go|create|make|put|keep|instead|rather|only|even|since|if|when)\b|\b(?:unless|except|without|outside|other than|apart from|besides|instead|rather than|because|since|so that|until|before|after|when|whenever|while|if|which|in order to|to (?:avoid|prevent|keep|make|ensure|fix|get|silence))\b/i

/** The object of the verb, and the condition after it. */
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
