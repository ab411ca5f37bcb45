import { chooseKey, findStatedRules } from "./statement-lessons.ts"

/**
 * A rule in a prompt. `own`: the user's own short statement, meant as a rule. `unsure`: possibly; the user must confirm
 * it.
 */
export type OwnStatement = { words: string; certainty: "own" | "unsure" }

const longestStatement = 400
const longestMessage = 2000

/**
 * The rules that a prompt states in the user's own words. Prompts also contain other people's text: pages, mails,
 * issues, logs, files and expanded commands, mostly pasted without a mark. So a rule counts only in a short message, as
 * its first or last sentence, with nothing in the message that looks pasted.
 */
export function ownStatements(message: string): OwnStatement[] {
  const text = message.trim()
  if (text.length > longestMessage || looksPasted(text)) return []
  const paragraphs = text.split(/\n[ \t]*\n/)
  return findStatedRules(text, capturedFrom)
    .filter(({ kind, text: rule }) => !(kind === "fact" || kind === "remember") || choosesTool(rule))
    .flatMap(({ words }): OwnStatement[] => {
      const at = paragraphs.findIndex((paragraph) => paragraph.includes(words))
      if (at > 0 && at < paragraphs.length - 1) return []
      const place = placeIn(paragraphs[at] ?? "", words)
      if (place === "elsewhere") return []
      const isShort = text.length < longestStatement && paragraphs.length <= 3
      const isOwn = isShort && place === "edge" && isForAgent(text, words)
      return [{ words, certainty: isOwn ? "own" : "unsure" }]
    })
}

/** "We use jest", but not "we use jest and it fails". */
function choosesTool(fact: string): boolean {
  return chooseKey(fact, false) !== undefined && !complains.test(fact)
}

const complains =
  /\b(?:fail(?:s|ed|ing)?|crash(?:es|ed|ing)?|breaks?|broken|hangs?|errors?|(?:does|is)(?:n't| not) work(?:s|ing)?)\b|fehler|(?:geht|funktioniert|läuft) nicht|abgestürzt|\bfalla\b|no funciona|não funciona|\bplante\b|ne marche p(?:as|lus)|出错|报错|失败|エラー|動かない/i

/** More than is needed to learn it: what is captured is handed to the whole team at once. */
const capturedFrom = 0.5

/**
 * `edge`: the first or last sentence of one line. `elsewhere`: the surrounding text shows that it is not a statement.
 */
function placeIn(paragraph: string, words: string): "edge" | "inside" | "elsewhere" {
  const start = paragraph.indexOf(words)
  const before = paragraph.slice(0, start).trimEnd()
  const after = paragraph.slice(start + words.length).trim()
  if (start < 0 || isIntroduced(before) || reported.test(lastSentence(before)) || reported.test(words))
    return "elsewhere"
  if (paragraph.includes("\n")) return before === "" || after === "" ? "inside" : "elsewhere"
  return before === "" || after === "" ? "edge" : "inside"
}

/** Whether all text beside a rule also addresses the agent: a request, a question, a complaint, another rule. */
function isForAgent(text: string, words: string): boolean {
  const at = text.indexOf(words)
  return [text.slice(0, at), text.slice(at + words.length)]
    .flatMap((part) => part.split(/\n[ \t]*\n/))
    .map((part) => part.trim().replace(/^[\s.,;:!—–-]+/, ""))
    .every((part) => part === "" || spoken.test(part) || /^[^.!\n]{1,200}\?/.test(part))
}

const spoken =
  /^(?:(?:please|pls|now|then|and|also|so|but|ok(?:ay)?|hey|no|nope|yes|yeah|again|first|next|finally|btw|oh|well)[,:;.!—–-]*\s+)*(?:(?:always|never|from now on|going forward|henceforth|remember)\b|(?:new |another )?(?:rule|note|remember|reminder|important)[:：]|(?:in|for) this (?:repo|repository|project|code ?base)\b|(?:can|could|would|will) you\b|(?:let's|let us|let me)\b|(?:don't|do not)\b|you(?:'ve| have)? (?:used|did|forgot|keep|again|just|still|broke|committed|pushed|ran|wrote|changed|added|removed|made|missed)\b|i(?:'d| would)? (?:told|said|already|asked|want|need|like|prefer|hate|don't)\b|that(?:'s| is| was) (?:wrong|not|good|fine|better|great)\b|(?:wrong|stop|thanks|thank you|good|great|nice|perfect|lgtm)\b|(?:show|fix|add|make|write|change|update|remove|rename|move|create|run|test|check|look|use|implement|refactor|commit|push|open|read|find|delete|replace|clean|build|deploy|install|set|put|try|do|explain|help|give|tell|start|continue|go|undo|revert|rebase|merge|document|describe|list|print|round|convert|migrate|review|debug|investigate|bump|format|sort|split|extract|handle|configure|generate|finish|summari[sz]e|drop|keep|bring|improve|simplify|rewrite|support|include|sign|release|publish)\b)/i

/** "Translate: …", "The page reads: …". A colon after a word for rules introduces the user's own. */
function isIntroduced(before: string): boolean {
  if (/["'“”„«»‘’「『([]$/.test(before)) return true
  if (!/[:：]$/.test(before)) return false
  return !/(?:^|[.!?]\s+)(?:ok(?:ay)?,? )?(?:(?:one|a|another|new|important|general|team|house|and a|my) )*(?:rules?|remember|note|please note|important|preference|reminder|for the future|from now on|going forward|convention|policy)\s?[:：]$/i.test(
    before,
  )
}

function lastSentence(text: string): string {
  return text.split(/[.!?]\s+|\n/).at(-1) ?? ""
}

/** Reported speech. */
const reported =
  /\b(?:says?|said|saying|wrote|writes|told (?:me|us)|tells|claims?|states|stated|recommends?|recommended|suggests?|suggested|according to|quoted|quoting|for example|e\.g\.|i\.e\.)(?![\w-])/i

/** Signs that all or part of a message was written by another author for another reader. */
function looksPasted(text: string): boolean {
  return pastedSigns.some((sign) => sign.test(text))
}

const pastedSigns: RegExp[] = [
  // the client's own marks for pasted text, files, images and commands
  /\[(?:pasted|image|attachment|file|document|selection|truncated|\+?\d+ (?:more )?lines)\b/i,
  /<\/?[a-z!?][^>\n]*>|&(?:lt|gt|amp|nbsp|quot);|<!--|^---\s*$/im,
  /^\s*[/@!]\S|\$(?:ARGUMENTS|\d|\{)|\bARGUMENTS:/m,
  // code, quotations, tables, diffs, lists of things
  /```|~~~|^(?: {4}|\t)\S|^\s*(?:>|\||[│├└┌]|[+-]{3}\s|@@|diff --git)|[{};]\s*$|=>|^\s*(?:import|export|const|let|var|function|def|class|return|public|private|#include|package|using|SELECT|INSERT|UPDATE)\b.*[({;:'"]/m,
  /^\s*(?:[-*•+]|\d{1,2}[.)])\s/m,
  /^#{1,6} \S|^\s*(?:={3,}|-{3,}|_{3,}|\*{3,})\s*$|\*\*[^*\n]+:\*\*|\]\((?:https?:|mailto:|#)/m,
  // logs and output
  /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d{1,2}:\d\d:\d\d\b|^\s*\[?(?:error|warn(?:ing)?|info|debug|fatal|trace|notice|critical)\]?[:\s|-]|\b(?:stack ?trace|traceback|npm (?:err|warn)|exit(?:ed with)? code \d|at \S+:\d+)\b|^\s*[$%❯] \S|\bpid[=: ]?\d|\[\d+\]:/im,
  // mail and chat
  /^\s*(?:from|to|cc|bcc|subject|date|sent|reply-to|re|fwd?|von|an|betreff|gesendet|de|para|asunto|enviado|objet|à|envoyé|oggetto|da|temat)\s*:\s*\S/im,
  /^\s*(?:dear|hi|hello|hey|hallo|liebe[rs]?|bonjour|hola|ciao|guten (?:tag|morgen)|good (?:morning|afternoon|evening))\b[^\n.!?]{0,40}[,!]?\s*$/im,
  /^\s*(?:(?:best|kind|warm|many)? ?regards|best|cheers|sincerely|yours|thanks(?: again)?|thank you|greetings|mit freundlichen|viele|liebe|cordialement|saludos|atentamente|saluti)\b[^\n]{0,40}[,!]?\s*\n\s*\S|\b(?:original message|forwarded message|begin forwarded|sent from my|to unsubscribe|unsubscribe from this|wrote:|schrieb:|a écrit|escribió:)\b/im,
  /^\s*[\w.-]+ ?(?:\(|\[)?\d{1,2}:\d\d(?: ?[ap]m)?\b|^\s*@\w|\bslack\b.*\bthread\b/im,
  // pages, issues, forums
  /https?:\/\/|\bwww\.|\bcookies?\b.{0,40}\b(?:accept|policy|settings)|\b(?:skip to (?:main )?content|privacy policy|terms of (?:use|service)|all rights reserved|table of contents|on this page|min(?:ute)? read|read more|learn more|published (?:on|by|in)|last updated|edit this page|share this|back to top|home [›>|»])\b|[©®›»]|^\s*(?:sign in|log in|sign up|subscribe|menu|search)\s*$/im,
  /\b(?:steps to reproduce|expected behaviou?r|actual behaviou?r|describe the bug|additional context|opened this issue|opened on|commented (?:on|\d|yesterday|last)|labels?:|assignees?:|milestone:|closes #|fixes #|issue #?\d|pull request #?\d|(?:^|\s)#\d{2,}|affects versions?|environment:|acceptance criteria|user story|reporter:|severity:|priority:)/im,
  /\b(?:answered|asked|edited|modified|posted|viewed|active|joined|replied)\b[^\n]{0,30}\b(?:ago|\d{4}|at \d|by|today|yesterday)\b|\b\d+ ?(?:up|down)?votes?\b|\b\d+ (?:points?|replies|comments?|likes?|views?|answers?)\b|\b(?:upvote|downvote|accepted answer|stack ?overflow|reddit|hacker news|improve this (?:answer|question)|permalink|hope (?:this|that|it) helps|happy coding|tl;?dr|imho|imo)\b|^\s*(?:edit|update|ps)\s*:|\b[ur]\/\w/im,
  // texts that are to be worked on
  /^\s*(?:please )?(?:can you |could you )?(?:translate|summari[sz]e|proof-?read|rewrite|rephrase|paraphrase|shorten|reply to|respond to|answer this|explain|review|check|correct|fix the (?:grammar|typos?|spelling)|convert|format|analy[sz]e|interpret|tell me what|what (?:does|do|is|are)|here(?:'s| is| are)|this is (?:what|the|a|my)|see (?:below|this)|look at|read|consider|add (?:this|the following)|put (?:this|the following)|paste|copy|use this|implement (?:this|the following)|übersetze?n?|fasse|erkläre|traduis|traduce|traduci|resume|résume)\b[^\n]{0,160}[:：]/i,
  // prompts and documents for agents
  /^\s*(?:you are (?:an?|the)\b|your (?:task|role|job|goal) is\b|act as\b|as an? (?:ai|expert|assistant)|system:|assistant:|user:|human:|instructions?:|ignore (?:all|previous))|\b(?:claude|agents|gemini|copilot-instructions)\.md\b.*:/im,
]
