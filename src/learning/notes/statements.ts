import { toOneLine, truncate } from "../../formats/text.ts"

/** What an agent says it is about to do: "Now let me add a retry to the upload:" is "Add a retry to the upload". */
export function aimOf(text: string): string | undefined {
  for (const sentence of proseOf(text).slice(0, 12).reverse()) {
    const [, , aim = ""] = announces.exec(sentence) ?? []
    const words = aim.replace(/(?::\s*\d+)?[:.…\s]+$/, "")
    if (words.length < 8 || looksOnly.test(words)) continue
    return truncate(words.charAt(0).toUpperCase() + words.slice(1), longestAim)
  }
  return undefined
}

const longestAim = 160
const announces =
  /^(?:[^.:]{0,40}?[,.:!—-]\s*)?(?:(?:ok(?:ay)?|good|great|perfect|now|next|first|then|so|and|also|finally|alright|right)[,!.]?\s+)*(I'?ll(?: now| also| then| first)?|I will(?: now)?|I am going to|I'm going to|I'm(?= (?:now )?\w+ing\b)(?: now)?|let me(?: also| now| first| just| try to)?|let's|I need to|I have to|we need to|time to|now I(?:'ll| will| need to| can))\s+(.{8,400})$/i
/** Reading is not an attempt. */
const looksOnly =
  /^(?:also |now |first |just |quickly )*(?:check|look|see|read|search|find|view|understand|explore|investigate|examine|inspect|review|verify|confirm|checking|looking|reading|running|re-?running|inspecting|verifying|tracing|using the|use the \w+ tool|commit|push|stage|run|re-?run|get|list|open|analy[sz]e|wait|show|ask|mark|think|start|continue|note|track)\b/i

/** The sentences of a message outside of code blocks, tables and headings, in order. */
export function proseOf(text: string): string[] {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .split("\n")
    .filter((line) => !/^\s*(?:#|\||>|[-=*_]{3,}\s*$)/.test(line))
    .flatMap((line) => joinTorn(plain(line).split(/(?<=[.!?])\s+(?=[\p{Lu}`"'(])|(?<=[。！？])/u)))
    .map((sentence) => toOneLine(sentence).trim())
    .filter((sentence) => sentence !== "")
}

/** A full stop within backticks ends no sentence. */
function joinTorn(pieces: readonly string[]): string[] {
  const sentences: string[] = []
  for (const piece of pieces) {
    const last = sentences.at(-1)
    if (last !== undefined && (last.split("`").length - 1) % 2 === 1)
      sentences[sentences.length - 1] = `${last} ${piece}`
    else sentences.push(piece)
  }
  return sentences
}

function plain(line: string): string {
  return line
    .replace(/^\s*(?:[-*•+]|\d{1,2}[.)])\s+/, "")
    .replace(/\*\*|__|[\u{1F300}-\u{1FAFF}\u2705\u274C\u26A0]\uFE0F?/gu, "")
    .replace(/’/g, "'")
    .trim()
}

export type FoundStatement = { type: string; text: string; score: number }

/** The sentences of an agent's message that state what it found out, with a score. */
export function findingsIn(text: string): FoundStatement[] {
  return proseOf(text).flatMap((sentence) => {
    if (sentence.length < 40 || sentence.length > 320 || excluded.test(sentence) || /[?:]["')\s]*$/.test(sentence))
      return []
    const kind = kinds.find(({ says }) => says.test(sentence))
    if (kind === undefined || (kind.type !== "failure_cause" && /\b(?:now|will|added|adds)\b/i.test(sentence)))
      return []
    const names = (
      sentence.match(/`[^`]+`|\b[\w-]+\/[\w./-]+|\b\w+\.(?:ts|tsx|js|go|py|rs|json|ya?ml|md|css|sql|sh)\b/g) ?? []
    ).length
    const score =
      kind.weight +
      Math.min(names, 3) * 0.5 +
      (found.test(sentence) ? 0.5 : 0) +
      (/\b(?:because|since|due to|caused by)\b/i.test(sentence) ? 0.5 : 0) -
      (hedged.test(sentence) ? 2 : 0)
    return [{ type: kind.type, text: sentence, score }]
  })
}

const found = /\b(?:I (?:found|see|noticed|can see)|found|turns out|confirmed|discovered)\b/i
const hedged =
  /\b(?:might|maybe|perhaps|probably|possibly|likely|could be|seems?|appears?|I think|I suspect|I believe|may be|presumably|looks like|let me|not sure|unless|if)\b/i
/** Plans, questions, and reports of what was done are no discoveries. */
const excluded =
  /^(?:let me|I'll|I will|I need|I should|I'm (?:now |also )?\w+ing|now |next|first,? (?:let|I)|we (?:should|need|could|can)|you (?:can|should|may)|would you|should |could |if |to (?:fix|solve|do|add|make)|the (?:fix|solution|plan|idea|goal|next step|approach)|here'?s|here is|all tests|tests? (?:pass|now)|done|fixed|added|updated|removed|created|implemented|the test (?:creates|verifies|checks)|root cause documented|I(?:'ve| have) (?:now |also |just )?(?:added|updated|fixed|created|implemented|removed|changed|moved|made|written|refactored)|great|perfect|excellent|good)\b/i

const kinds: { type: string; weight: number; says: RegExp }[] = [
  {
    type: "failure_cause",
    weight: 2.5,
    says: /\b(?:root cause|caused by|(?:the|this) (?:real|actual|underlying|core|main)? ?(?:issue|problem|bug|error|failure|reason|culprit|cause)s? (?:is|was|were|are|comes?|came|lies|stems?|occurs?|happens?)|(?:fail(?:s|ed|ing|ure)?|broke(?:n)?|breaks|errors?|crash(?:es|ed)?|happen(?:s|ed|ing)) (?:\S+ ){0,4}(?:because|since|due to)|(?:(?:is|are|was|were) (?:wrong|broken|missing|empty|stale|undefined|null|lost|flaky|slow)|(?:does|do|did)(?:n't| not) \w+) (?:\S+ ){0,3}(?:because|since|due to)|that'?s why|which is why|this is why|turns out)\b|根本原因|问题在于|原因是|原因は|問題は|Ursache (?:ist|war)|Das Problem (?:ist|war)|liegt daran|La cause|Le problème vient|La causa|El problema es|se debe a|A causa|O problema é/i,
  },
  {
    type: "dependency_check",
    weight: 2,
    says: /\b(?:depends on|dependenc(?:y|ies) (?:on|is|are)|(?:is|are|isn't|aren't|not) (?:already )?installed|requires? (?:node|python|go|java|rust|\w+@)|(?:uses?|using|on) \S+ (?:v|version )?\d+\.\d+|package\.json (?:has|uses|lists|pins)|already (?:a|in) (?:the )?dependenc)/i,
  },
  {
    type: "code_pattern",
    weight: 2,
    says: /\b(?:follows? (?:the|this|a|an) (?:same |existing |established )?(?:pattern|convention|style|approach)|(?:existing|established|same|common) (?:pattern|convention|helper|style) (?:is|in|for|of|used|here)|the convention (?:is|here|in)|(?:codebase|project|repo(?:sitory)?|code|tests?) (?:already )?(?:uses?|follows?|consistently|relies on)|all (?:other |the )?(?:\w+ ){1,3}(?:use|follow|return|extend|implement))\b/i,
  },
  {
    type: "api_surface",
    weight: 1.5,
    says: /`[\w.$]+(?:\([^`]*\))?`(?: \w+){0,3} (?:returns?|takes?|accepts?|expects?|throws?|only (?:accepts?|handles?|supports?)|doesn't (?:accept|handle|support|return)|does not (?:accept|handle|support|return)|requires?)\b|\b(?:function|method|endpoint|API|hook|command|flag|option) (?:\S+ ){0,3}(?:returns?|takes?|accepts?|expects?|throws?|only (?:accepts?|handles?|supports?)|does(?:n't| not) (?:accept|handle|support|exist|return))\b/,
  },
  {
    type: "data_model",
    weight: 1.5,
    says: /\b(?:schema|table|column|field|enum|record|payload|JSON|type|interface) (?:`[^`]+` |\S+ )?(?:has|have|contains?|stores?|includes?|lacks|is (?:an?|the)|does(?:n't| not) (?:have|include|contain))\b/i,
  },
  {
    type: "codebase_structure",
    weight: 1.5,
    says: /\b(?:(?:is|are) (?:already )?(?:defined|located|implemented|handled|stored|configured|registered|declared|set up|built|generated|called|imported|used|rendered) (?:in|at|under|by|from|via|only)|lives? in|(?:there(?:'s| is| are)|already has|has) (?:already )?an? existing|already exists? (?:in|at|as)|entry point|the (?:project|codebase|repo(?:sitory)?|monorepo) (?:is|has|contains|consists))\b/i,
  },
]
