import { lowerCase, phrases } from "./languages/phrases.ts"

/** What a sentence is for the team, and its words without a label such as "Rule:". */
export type TypedStatement = { type: "directive" | "decision" | "note"; words: string }

/**
 * Whether a sentence that the user wants remembered is a rule, a decision or a note. Most are rules, so a sentence in which no other sign
 * is found is one. The user can always say it with an option instead.
 */
export function typeOfStatement(text: string): TypedStatement {
  const [, label = ""] = labelled.exec(text.trim()) ?? []
  const named = labels.find(([names]) => names.test(label))?.[1]
  const words =
    named === undefined
      ? text.trim()
      : text
          .trim()
          .slice(label.length)
          .replace(/^\s*[:：]\s*/, "")
  return { type: named ?? typeByWords(lowerCase(words)), words }
}

const labelled = /^(\p{L}[\p{L} ]{0,20}?)\s*[:：]/u
const labels: [RegExp, TypedStatement["type"]][] = [
  [/^(?:(?:new |team )?rule|directive|regel|règle|regla|regra|ルール|规则|規則)$/i, "directive"],
  [/^(?:decision|decided|entscheidung|beschluss|décision|decisión|decisão|決定|决定)$/i, "decision"],
  [/^(?:note|fyi|info|heads up|notiz|hinweis|nota|メモ|备注|備註)$/i, "note"],
]

function typeByWords(text: string): TypedStatement["type"] {
  if (decided.test(text)) return "decision"
  if (obliges.test(text) || text.search(always) !== -1) return "directive"
  if (fact.test(text)) return "note"
  return choice.test(text) ? "decision" : "directive"
}

/** A choice that was made. */
const decided = new RegExp(
  [
    "\\bwe(?:'ve| have)? (?:decided|chose|chosen|agreed|settled|picked|adopted|switched|moved|migrated|standardi[sz]ed|went with|opted for)\\b",
    "\\b(?:it was|it is) (?:decided|agreed)\\b|^(?:decided|agreed) (?:to|on|that)\\b|\\bwe(?:'re| are) going with\\b",
    "\\bwir haben\\b.*\\b(?:entschieden|beschlossen|geeinigt|gewählt|vereinbart)\\b|\\bwir (?:wechseln|steigen) ",
    "\\b(?:nous avons|on a) (?:décidé|choisi|opté|convenu|adopté)",
    "\\b(?:hemos (?:decidido|elegido|acordado|adoptado)|decidimos|elegimos|acordamos)\\b",
    "\\b(?:escolhemos|optamos|combinamos|adotamos)\\b",
    "(?:ことに(?:した|しました|決めた|決めました|なりました)|に決めました|を採用(?:した|しました))",
    "(?:我们|我們)?(?:已经|已經)?(?:决定|決定|选择了|選擇了|选定|選定)",
  ].join("|"),
)

/** "Must", "should", "don't", in all supported languages. */
const obliges = new RegExp(
  [
    "\\b(?:must|should|shall|need(?:s)? to|ha(?:s|ve) to|may not|don't|do not|no more|(?<!-)only|ask before|no exceptions?)\\b",
    "\\b(?:müssen|muss|soll(?:en|te|ten)?|darf|dürfen|nur|bitte)\\b",
    "\\b(?:doit|doivent|faut|pas de|ne pas|jamais|uniquement)\\b",
    "\\b(?:debe|deben|deberían?|hay que|tiene que|nunca|no (?:uses|hagas|subas|escribas|toques|mezcles))\\b",
    "\\b(?:deve|devem|precisa|tem que|não (?:use|faça|envie|escreva))",
    "(?:なければ|べき|ください|こと[。.]?$|ないで|しない[。.]?$|禁止|必ず|統一)",
    "(?:必须|必須|应该|應該|应当|不要|不能|不准|不得|别|務必|务必|一律|统一|統一|请|請)",
  ].join("|"),
)

const always = phrases(({ statements }) => [...statements.always, ...statements.never, ...statements.preference])

/** "We use PostgreSQL for orders." */
const choice = new RegExp(
  [
    "^(?:here |in this \\w+,? )?we(?:'re| are)? (?:now )?(?:use|using|run|running|deploy|host|keep|store|target|ship|build|pin)\\b",
    "^(?:this|the|our) (?:project|repo|repository|app|backend|frontend|service|team) (?:uses|runs on|is (?:built|written|deployed))\\b",
    "^(?:hier )?wir (?:verwenden|nutzen|benutzen|speichern|setzen|deployen|betreiben)\\b",
    "^(?:ici,? )?(?:on|nous) (?:utilise|utilisons|déploie|déployons|garde|gardons)\\b",
    "^(?:aquí |aqui |nós )?(?:usamos|utilizamos|desplegamos|guardamos|a gente usa)\\b",
    "^(?:このプロジェクト|うち)では.*(?:を使う|を使います|を使って)",
    "^我(?:们|們)(?:这里|這裡|项目|專案|团队|團隊)?(?:都|一直)?(?:用|使用|采用|採用)",
  ].join("|"),
)

/** A sentence about how things are: it has a subject and a verb of being. */
const fact = new RegExp(
  [
    "^(?:[\\w'./-]+ ){1,8}?(?:is|are|was|were|has|have|had|lives?|runs?|takes?|costs?|owns?|broke|fails?|happens?|contains?|returns?|means?|expires?|listens?|points?|ends?|starts?|works?) ",
    "^(?:der|die|das|unser\\w*|im|am|in) .*\\b(?:ist|sind|liegt|läuft|hat|haben|war|braucht|dauert|gehört|heißt)\\b",
    "^(?:l'|le |la |les |notre |nos ).*\\b(?:est|sont|a|ont|tourne|prend|contient|se trouve)\\b",
    "^(?:el|la|los|las|nuestr\\w+) .*\\b(?:es|está|son|están|tiene|tarda|corre|vive)(?![\\p{L}])",
    "^(?:o|a|os|as|noss\\w+) .*(?<![\\p{L}])(?:é|está|são|estão|tem|demora|roda|fica)(?![\\p{L}])",
    "(?:です|ます|ある|いる)[。.]?$",
    "^[^，,。]{1,12}(?:在|是|由|位于|位於)",
  ].join("|"),
  "u",
)
