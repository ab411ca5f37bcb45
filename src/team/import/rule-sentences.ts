/**
 * What a heading is about. `rules`: conventions and prohibitions. `facts`: what the project is and how to run it, where only
 * strong words make a rule. `plain`: everything else.
 */
export type Subject = "rules" | "facts" | "plain"

/** The subject of a heading by its words; undefined if the headings above it decide. */
export function subjectOf(heading: string): Subject | undefined {
  if (rulesHeading.test(heading)) return "rules"
  return factsHeading.test(heading) ? "facts" : undefined
}

const rulesHeading =
  /\b(?:rules?|conventions?|guidelines?|style|standards?|principles?|(?:best )?practices|constraints?|polic(?:y|ies)|important|critical|mandatory|must|always|never|avoid|forbidden|do(?:'|’)?s|don(?:'|’)?ts?|anti-?patterns?|preferences?|guardrails?|boundaries|invariants?|naming|formatting|expectations|etiquette|hygiene|规则|规范|约定|禁止|原则|ルール|規約|правила)(?:\b|$)|规则|规范|约定|禁止|原则|ルール|規約|правила/iu
const factsHeading =
  /\b(?:overview|architecture|structure|layout|commands?|scripts|set-?up|install(?:ation|ing)?|getting started|quick ?start|prerequisites|requirements|usage|examples?|api|reference|features?|(?:tech )?stack|technolog(?:y|ies)|files?|where to look|troubleshooting|debugging|faq|changelog|status|roadmap|todo|resources|links|about|introduction|background|environment|configuration|deployment|release process|how (?:it|to)|what(?:'|’)?s next|next steps|tools|skills|glossary|purpose|description|concepts|components|modules|packages|directory|directories|tree|data ?flow|schema|models?|endpoints?|integrations?|limitations|tasks?|steps|templates?)\b/i

/** A heading or lead-in below which everything is forbidden: "Don't:", "Anti-patterns", "Never do this". */
export function isProhibition(text: string): boolean {
  return /^(?:[^\p{L}]*)(?:(?:things|what|patterns?|practices) (?:to avoid|not to do)|(?:please )?(?:do not|don(?:'|’)?ts?|never|avoid|anti-?patterns?|forbidden|prohibited|not allowed|must not|bad practices|common mistakes)(?: (?:do|use|commit|add|the following|these|this|patterns?|things|actions|operations|list))*)[^\p{L}]*$/iu.test(
    plain(text),
  )
}

/** A lead-in that limits what follows: "Before committing:", "When you add an endpoint:". */
export function isCondition(text: string): boolean {
  return /^(?:before|after|when|whenever|if|unless|for (?:every|each|all|any|new)|every time|in case)\b.*:$/i.test(
    plain(text),
  )
}

export type SentencePlace = {
  subject: Subject
  /** Whether it is an item of a numbered list: most of these are steps of a procedure. */
  isStep: boolean
  isBullet: boolean
  /** Whether a line above it names what "it" is: "When you add an endpoint:". */
  hasContext?: boolean
}

/** Whether a sentence is a rule for agents: it demands or forbids something, for all work to come. */
export function isRule(sentence: string, { subject, isStep, isBullet, hasContext = false }: SentencePlace): boolean {
  const text = plain(sentence)
  const words = text.match(/[\p{L}\p{N}'’-]+/gu) ?? []
  if (noRule.some((sign) => sign.test(text)) || text.length > 500) return false
  if (needsContext.test(text) && !hasContext) return false
  if (isForeignRule(text, subject === "facts")) return true
  if (words.length < 2 || (words.length < 3 && !strong.test(text) && subject !== "rules")) return false
  if (strong.test(text) || shouted.test(sentence) || prohibition.test(text)) return !describes.test(text)
  if (subject !== "facts" && obliges.test(text) && !describes.test(text)) return true
  if (subject === "facts" && /\bmust\b/.test(text) && !describes.test(text) && !/^you must\b/i.test(text)) return true
  if (isImperative(text)) {
    if (lasting.test(text)) return true
    if (subject === "facts" || isStep) return false
    return subject === "rules" || !operation.test(text)
  }
  return (
    isBullet &&
    subject === "rules" &&
    !isStep &&
    words.length <= 16 &&
    elliptical.test(text) &&
    !/\b(?:is|are|was|were|has|have)\b/i.test(text)
  )
}

/** A span of code, which is kept with its asterisks and underscores, or a mark of emphasis. */
const emphasis = /(`[^`]*`)|\*\*|__|~~|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])/g

/** The sentence without Markdown, leading signs, or words that only announce it. */
export function plain(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(emphasis, "$1")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(?:[^\p{L}\p{N}`"'“([{<@#$./~_-]+|[-–—]\s+)/u, "")
    .replace(
      /^(?:(?:important|critical|crucial|note|warning|caution|mandatory|required|rule|tip|reminder|remember|please note|nb)\b(?: rule)?(?:[:!.—–-]+\s*|, ))+/i,
      "",
    )
    .replace(
      /^(?:please|so|also|then|instead|generally|in general|by default|where possible|when possible|if possible|as a rule|additionally|finally)[, ]+/i,
      "",
    )
    .replace(
      /^(?:when|whenever|if|before|after|for|in|on|with|unless|once|while|during|under)\b[^,;.:—]{2,120}[,:;—]\s+(?:then |please |you (?:must|should) )?(?=\p{L})/iu,
      "",
    )
    .trim()
}

const strong =
  /^(?:always|never|(?:you )?(?:must|shall|should)(?: not|n(?:'|’)t)?|do not|don(?:'|’)t|avoid|prefer|ensure|make sure|be sure|only (?:use|add|call|commit|create|change|edit|run|write|import|modify|include|put|do|make|push|touch|mock|test|log|export|import|remove|update|read|load|send|store|throw|return|expose|when|if)|no (?!longer\b|one\b|more than\b.*\b(?:is|are|was)\b|additional\b|need\b|problem\b|matter\b|other\b|such\b)[\p{L}`]|under no circumstances|refrain|at no time|it is (?:forbidden|mandatory|required|critical|essential) (?:to|that))(?!\p{L})/iu

const shouted = /\b(?:NEVER|ALWAYS|MUST(?: NOT)?|DO NOT|DON'T|REQUIRED:|FORBIDDEN)\b/

const prohibition =
  /[,;:.—–(]\s*(?:always|never|don(?:'|’)t|do not|prefer|avoid)\s+(?!been\b|had\b|was\b|were\b)[\p{Ll}`]|\b(?:must|should|shall|may) not (?:be\b|contain\b|use\b|import\b|include\b|depend\b|call\b|commit\b|add\b|rely\b|exceed\b|change\b|edit\b|modify\b)|\b(?:is|are) (?:strictly |explicitly )?(?:forbidden|prohibited|banned|not allowed|not permitted|off[- ]limits)\b|\bnever (?:use|commit|edit|push|merge|add|call|import|modify|hand-edit|hard-?code|log|store|expose|skip|delete|touch|throw|run|write|assume|rely|mock|bypass|create|remove|disable|include|put)\b/iu

const obliges =
  /\b(?:must|shall|should|has to|have to|needs? to be|(?:is|are) (?:mandatory|required|expected) (?:to|for|in|on|when|before|unless)|(?:are|is) required\.?$|go(?:es)? through\b|live in\b.*\bnot\b|belongs? in\b)(?! (?:now|see|look|get|have (?:a|an|the) (?:following|output))\b)/i

/** Words that tell what a program does or will show, or what the reader is able to do. */
const describes =
  /^(?:it|its|this|that|these|those|they|their|there|he|she|which|also|otherwise|example|e\.g\.|here)\b|\b(?:is|are) (?:ALWAYS|NEVER)\b|\b(?:you|it|this|output|result|page|app|browser|terminal)(?:'ll| will)? (?:should|must) (?:now |then |also )?(?:see|look|get|be able|output|print|show|display|return|open|start|appear|work|contain|have (?:been|a|an|the))\b|\bno (?:\w+ ){1,4}(?:is|are|was|were|needed|required|exists?|found|yet)\b(?!.*\b(?:allowed|permitted)\b)|\bnot? (?:required|needed|necessary)\b|\b(?:should|must) (?:have|already|probably|normally)\b|\bnever (?:throws|returns|fails|happens|needs|blocks|exits|reaches|leaves|sees|runs|fires|changes|enters?)\b|\balways (?:returns|throws|is|are|has|contains|returned|runs|uses|starts|shows)\b/i

/** Not a rule, whatever its verbs: questions, announcements, offers, pointers to other texts, output. */
const noRule: RegExp[] = [
  /[?:：]$|\.\.\.$/,
  /^(?:you|we|users?|developers?|one|agents?) (?:can|could|may|might|will|are able)\b(?! (?:only|not)\b)/i,
  /^(?:see|visit|check out|learn more|refer to|consult|look at|click|navigate|browse|welcome|feel free|contact|subscribe|join|explore|consider|imagine|suppose|assume|note that|notice|remember that|keep in mind that)\b(?!.*\b(?:before|first|always|never|must)\b)/i,
  /^(?:read|review|check|use|follow)\b(?=.*(?:@\S|\.mdx?\b|\bdocs?\b))(?!.*\b(?:before|first|always|never|must|when|whenever|unless|instead)\b)/i,
  /^(?:i|my|i'm|i've|let's|let me|we'll|we've|the user|user)\b/i,
  /^\[[ xX]\]/,
  /^[`"'][^`"']*[`"']?\s*(?:[-–—:=→|]|$)/, // a term with its meaning, or a command
  /^\S+\.(?:[a-z]{1,5})\b\s*[-–—:]/i,
  /^(?:good|bad|correct|incorrect|wrong|right|yes|before|after|example|examples|e\.g\.|output|result|returns?|input|expected|actual|default|defaults|type|types|status|version|total|usage|purpose|path|location|file|files|command|author|license|date)\s*:/i,
  /^(?:\d+(?:\.\d+)*%?|v\d|~\d)/,
  /^use \w+ly\.?$/i,
  /^must be \S+$|\/\/ |;$/i,
  /→|=>|^\$ |^> /,
  /^(?:use|run|call|pass|set|add)(?:d)? (?:with|at|before|after|when|this|in|for|only|as)\b|\b(?:describes?|explains?|demonstrates?) (?:how|the|what)\b/i,
]

/** "Verify them with a test": needs the sentence before it. */
const needsContext =
  /^(?:\S+ ){1,3}?(?:(?:it|them|one)(?! simple| clean| short)|(?:this|that|these|those)(?= (?:to|with|when|if|in|for|as|via|by|and|only)\b|[.,;]|$))\b/i

const determiner =
  "(?:the|a|an|all|any|every|each|only|your|our|its|their|this|that|these|those|new|existing|it|them|both|one|no|more|explicit|small|short|clear|proper|unused|and|or|to|in|on|at|with|from|for|by|as|if|when|before|after|into|against|via|through|out|up|[`\"'<@./$])"

const verbs =
  "abort|accept|adapt|add|address|adhere|adjust|adopt|aim|align|allow|annotate|apply|approve|ask|assert|assign|attach|await|base|batch|be|begin|bind|bring|bump|call|capture|carry|cast|catch|choose|cite|clarify|clean|close|co-locate|colocate|collect|combine|commit|compare|compose|confirm|confine|configure|consolidate|construct|continue|convert|copy|cover|create|declare|decide|decouple|default|defer|define|delegate|delete|derive|describe|destructure|disable|discard|do|double-check|drop|edit|eliminate|embed|emit|enable|encapsulate|enforce|escape|exclude|expect|explain|expose|express|extend|extract|fail|favou?r|fetch|fix|focus|follow|forward|freeze|gate|generate|get|give|go|group|guard|hand|handle|hide|hoist|honou?r|hold|ignore|implement|include|inherit|initiali[sz]e|inject|inline|insert|inspect|install|introduce|invoke|isolate|join|justify|keep|label|lazy-load|leave|let|limit|link|list|load|log|maintain|make|mark|match|maximi[sz]e|measure|memoi[sz]e|merge|mention|minimi[sz]e|mirror|mock|move|name|narrow|nest|never|normali[sz]e|obtain|omit|open|opt|order|organi[sz]e|override|own|paginate|parse|pass|pause|perform|pick|pin|place|post|prefix|preserve|prevent|propagate|propose|protect|prove|provide|pull|push|put|quote|raise|re-?run|re-?use|read|reach|rebase|record|reduce|refactor|reference|reject|rely|remember|remove|rename|render|replace|report|reproduce|request|require|reserve|resist|resolve|respect|respond|restrict|retain|retry|return|review|revert|rewrite|roll|route|run|sanitize|sanitise|save|scope|search|select|separate|serve|set|share|ship|show|simplify|skip|sort|specify|split|squash|stage|start|state|stay|stick|stop|store|stream|strip|structure|suffix|suggest|suppress|surface|surround|switch|sync|tag|take|target|tell|test|throw|tie|touch|track|treat|trim|try|turn|type|understand|update|use|utili[sz]e|validate|verify|version|wait|walk|warn|watch|wire|work|wrap|write"

/** Also nouns: a verb only where the next word shows it. "Test files live here" is no imperative, "Test the parser" is. */
const nounToo =
  "access|address|approach|batch|build|cache|call|cast|catch|change|check|code|comment|commit|copy|cover|default|design|document|edit|export|fetch|filter|fix|focus|format|gate|group|guard|handle|hook|import|index|input|label|limit|link|list|load|lock|log|map|mark|match|mock|name|nest|order|output|parse|pass|place|plan|post|prefix|pin|process|push|query|quote|read|record|reference|release|render|report|request|resolve|return|review|route|run|save|scope|search|set|share|show|sort|split|stage|start|state|store|stream|structure|style|suffix|support|surface|tag|target|test|track|trim|type|update|version|watch|work|wrap"

const imperative = new RegExp(
  `^(?:(?!(?:${nounToo})\\b)(?:${verbs})(?![\\w:'’/.-]| (?:is|are|was|were|mode|type|files?|layer)\\b))`,
  "i",
)
const nounImperative = new RegExp(`^(?:${nounToo}) ${determiner}`)

function isImperative(text: string): boolean {
  const start = text.replace(
    /^(?:explicitly|carefully|strictly|thoroughly|immediately|manually|directly|clearly|first|simply|just|actively|proactively|consistently|periodically) /i,
    "",
  )
  return (
    imperative.test(start) ||
    nounImperative.test(start.charAt(0).toUpperCase() + start.slice(1)) ||
    nounImperative.test(start.charAt(0).toLowerCase() + start.slice(1))
  )
}

/** Says when or how widely it applies, so that it is more than one step of a procedure. */
const lasting =
  /\b(?:before|after) (?:you |any |every |each |all |the )?(?:commit|push|merg|submit|open|creat|publish|finish|mark|report|declar|claim|edit|chang|writ|implement|add|modif|mak|start|deploy|releas|PR|pull request|touch|us)|\b(?:whenever|every time|at all times|unless|instead of|rather than|under no|without exception)\b|\b(?:in|for|on|to) (?:all|every|each|any)\b|[,;—–] (?:not|never)\b|^(?:always|never)\b/i

/** Steps to set up the project or to run it once. */
const operation =
  /^(?:install|clone|start|restart|open|copy|download|navigate|go to|configure|run|launch|edit|build|deploy|get|set (?:up|the|your|`)|create (?:a|an|your|new|the) |add (?:your|the following|this)|fetch|connect|log in|sign|save|select|choose|enter|paste|press|type|wait|execute|generate|initiali[sz]e|import|replace `?(?:your|<)|update `?(?:your|<)|provide|pass|call|load|try|click|switch|pull|enable|test|watch|search|show|list|fix|bump|tag|push|return|handle|parse|fetch|render|read|emit|convert|extract|define|implement|build)\b/i

/** Elliptical rules of style: "Tabs, not spaces", "camelCase for functions", "No default exports". */
const elliptical =
  /^(?:no |zero )\S|, not \S|\b(?:over|instead of|rather than)\b|\bonly$|\b(?:camelCase|PascalCase|snake_case|kebab-case|UPPER_?(?:SNAKE_)?CASE|SCREAMING_SNAKE_CASE)\b|^(?:tabs?|(?:two|four|\d)[- ]spaces?|single quotes|double quotes|semicolons|trailing commas?|strict (?:mode|types?)|conventional commits|max(?:imum)? \d|named exports|absolute imports|relative imports)\b/i

/** Demands in other languages, by words that they cannot do without. */
function isForeignRule(text: string, isStrict: boolean): boolean {
  if (isStrict) return foreignProhibition.test(text) && !english.test(text)
  return otherScript.test(text) || (otherLatin.test(text) && !english.test(text))
}

const english = /\b(?:the|is|are|of|and|with|this|it|to|when|not|for|from|your|you|before)\b/i

const otherScript =
  /必须|不要|禁止|不得|严禁|务必|应该|应当|避免|优先|始终|总是|请勿|不允许|切勿|必ず|しないで|しない(?:こと|。|$)|してください|すること(?:。|$)|避ける|使用する(?:。|$)|하지 마|해야 (?:한다|합니다)|항상|절대|반드시|금지|(?<!\p{L})(?:всегда|никогда|нельзя|должн[аоы]?|должен|используй(?:те)?|избегай(?:те)?)(?!\p{L})/iu

const otherLatin =
  /(?<!\p{L})(?:immer|niemals|nie|muss|müssen|darf|dürfen|soll(?:en)?|verwenden?|nutzen?|vermeiden?|toujours|jamais|doit|doivent|utilise[rz]?|évite[rz]?|ne pas|siempre|nunca|jamás|deben?|usar?|evitar?|prohibido|sempre|devono|devem|evite|não|altijd|nooit|gebruik|vermijd|moet(?:en)?|zawsze|nigdy|używaj|unikaj|musi)(?!\p{L})/iu

const foreignProhibition =
  /必须|不要|禁止|不得|严禁|务必|切勿|必ず|しないで|절대|반드시|(?<!\p{L})(?:niemals|immer|jamais|toujours|nunca|siempre|никогда|всегда|nigdy|nooit)(?!\p{L})/iu
