/**
 * Words that show what kind of sentence it is, in the languages that people use with coding agents. Each is a feature of
 * the classifier; none decides by itself.
 */
const edge = (words: string) => new RegExp(`(?<![\\p{L}\\p{N}_'])(?:${words})(?![\\p{L}\\p{N}_])`, "u")

export const marks: Record<string, RegExp[]> = {
  must: [
    edge(
      "must(?:n't)?|should(?:n't)?|shall|ha(?:s|ve) to|needs? to|required|mandatory|forbidden|not allowed|may not|muss|müssen|soll(?:en|te|ten)?|darf|dürfen|doit|doivent|devra|il faut|debe[ns]?|tienen? que|hay que|deve[m]?|precisa[m]?|tem que|é preciso|deve|devono|moet(?:en)?",
    ),
    /必须|必須|应该|應該|需要|不能|不得|禁止|べき|なければ|こと[。]?$|해야/,
  ],
  every: [
    edge(
      "every|each|all|any|anything|everything|everywhere|wherever|whenever|every time|as a rule|by default|in general|only|jede[rsmn]?|alle[rsn]?|alles|überall|grundsätzlich|nur|chaque|tou(?:t|te|s|tes)|partout|seulement|cada|tod[oa]s?|siempre que|solo|sólo|em tudo|apenas|somente|ogni|tutt[ieoa]|elke?",
    ),
    /每|所有|全部|一律|统一|統一|都要|都用|すべて|全て|毎回|必ず|統一|항상|모든/,
  ],
  forbid: [
    edge(
      "don't|do not|dont|never|avoid|stop|no longer|without|not|no|nicht|kein(?:e[nrms]?)?|nie|niemals|ohne|ne|pas|jamais|sans|n'\\p{L}+|nunca|sin|nada de|jamás|não|nao|sem|jamais|non|mai|niet|geen|nooit|никогда|не",
    ),
    /不要|别|別|不准|不用|不能|勿|请勿|ないで|しない|禁止|使わない|마세요|말고/,
  ],
  contrast: [
    edge(
      "instead of|rather than|over|not|statt|anstatt|sondern|au lieu d\\p{L}*|plutôt que|en lugar de|en vez de|sino|em vez de|ao invés de|invece di|in plaats van",
    ),
    /而不是|不是|不要用|代替|ではなく|の代わり|대신/,
  ],
  ours: [
    edge(
      "we|we're|our|ours|us|this (?:repo|repository|project|code ?base|team|monorepo|library|app)|here|wir|unser[enrms]*|bei uns|hier|diese[mnrs]? (?:projekt|repo|repository)|nous|notre|nos|on|ici|ce (?:projet|dépôt)|nosotros|nuestr[oa]s?|aquí|usamos|este proyecto|nós|noss[oa]s?|aqui|a gente|neste projeto|noi|nostr[oaie]|wij|ons",
    ),
    /我们|我們|本项目|這個專案|这个项目|这个仓库|このプロジェクト|このリポジトリ|私たち|弊社|우리/,
  ],
  taste: [
    edge(
      "i (?:really |strongly |much |always |usually )?(?:prefer|like|love|hate|dislike|want|need|don't (?:like|want)|do not (?:like|want))|i'd (?:like|rather|prefer)|i would (?:like|rather|prefer)|ich (?:mag|möchte|will|bevorzuge|hätte)|mir ist|je (?:préfère|veux|voudrais|n'aime)|prefiero|me gusta|quiero|no quiero|prefiro|gosto|quero|não quero|eu prefiro|preferisco|ik wil",
    ),
    /我(?:更)?喜欢|我(?:更)?喜歡|我希望|我想|好み|好き|してほしい|希望/,
  ],
  now: [
    edge(
      "now|this time|for now|right now|yet|today|tomorrow|yesterday|at the moment|for the moment|currently|again|still|already|later|just|jetzt|diesmal|erstmal|vorerst|heute|morgen|gestern|noch|schon|wieder|später|maintenant|cette fois|pour l'instant|encore|déjà|demain|hier|ahora|esta vez|por ahora|todavía|ya|hoy|mañana|ayer|agora|desta vez|por enquanto|ainda|já|hoje|amanhã|ontem",
    ),
    /这次|這次|暂时|暫時|先|今天|明天|昨天|现在|現在|还|還|今回|とりあえず|まだ|今日|明日|昨日|이번/,
  ],
  here: [
    edge(
      "this|that|these|those|it|they|them|there|here|above|below|line \\d+|the (?:first|second|third|last|next|other|same|new|old|current|latest|previous)|das|dies(?:e[rsnm]?)?|es|dort|oben|unten|die (?:zweite|erste|andere)|ça|cela|ce|cette|ces|celui|eso|esto|est[ea]|ese|esa|isso|isto|ess[ea]|dess[ea]|dest[ea]",
    ),
    /这个|那个|這個|那個|上面|下面|この|その|あの|これ|それ|이|그/,
  ],
  screen: [
    edge(
      "buttons?|page|view|list|row|column|icons?|logo|header|footer|title|text|avatar|modal|dialog|dropdown|menu|tab|form|field|input|banner|tooltip|sidebar|panel|chart|card|tree|screen|spinner|badge|label|colou?r|font|border|layout|table|image|picture|link|message|show|shown|display|displayed|hide|hidden|visible|render|click(?:ed|s|ing)?|select(?:ed|s|ing)?|users?|seite|knopf|liste|überschrift|titel|spalte|zeile|bild|anzeigen|sichtbar|bouton|titre|liste|colonne|afficher?|botón|título|lista|columna|página|mostrar?|muestra|visible|botão|coluna|mostre|visível",
    ),
    /按钮|按鈕|页面|頁面|标题|列表|显示|顯示|ボタン|表示|ページ|タイトル|リスト|화면/,
  ],
  craft: [
    edge(
      "commits?|committing|committen|commit(?:ing)?|commitar|push(?:ing|en)?|pull requests?|prs?|branch(?:es)?|rebase|merge|merging|tests?|testing|lint(?:er|ing)?|format(?:ter|ting)?|migrations?|dependenc(?:y|ies)|releases?|deploy(?:s|ed|ing|ment|ments)?|changelog|docs?|documentation|comments?|imports?|exports?|functions?|class(?:es)?|types?|errors?|exceptions?|logger|logging|code|api|endpoints?|database|db|schema|tables?|columns?|names?|naming|config|env|secrets?|tokens?|version|package|packages|module|modules|ci|build|server|staging|prod|production|generated|abhängigkeit(?:en)?|commits?|tests?|dépendances?|dependencias|dependências|archivos|arquivos|fichiers|dateien",
    ),
    /提交|推送|测试|測試|依赖|接口|代码|代碼|注释|註解|分支|コミット|テスト|コメント|依存|コード|커밋/,
  ],
  past: [
    edge(
      "was|were|did|didn't|had|has been|have been|i(?:'ve| have)|you(?:'ve| have)|we(?:'ve| have)|i (?:\\p{L}+ed|saw|got|found|ran|tried|made|put|did|think|guess|see|get|just|already)|you (?:\\p{L}+ed|forgot|broke|made|did|put|left|missed)|fail(?:s|ed|ing)?|broken?|breaks|crash(?:es|ed)?|working|works|war|hat|habe|hast|schlägt|geht nicht|a été|ai|as|était|marche|he|has|falla|fallando|falhando|funcion\\p{L}+",
    ),
    /了吗|失败|失敗|错误|錯誤|ました|でした|エラー/,
  ],
  task: [
    new RegExp(
      `^(?:(?:please|pls|ok|and|also|then|now|next|bitte|por favor|s'il te plaît|can you|could you|let's|lets|請|请) ?,? ?)*(?:${[
        "fix|add|create|implement|rename|move|remove|delete|show|open|update|write|translate|summari[sz]e|build|make|change|check|look|list|give|explain|investigate|find|compare|run|start|restart|stop|undo|revert|reset|merge|tag|release|deploy|install|upgrade|downgrade|bump|convert|migrate|refactor|replace|extract|split|inline|simplify|optimi[sz]e|improve|generate|set|configure|wrap|reduce|group|align|put|place|read|review|analy[sz]e|test|try|retry|continue|commit|push|pull|close|reply|address|handle|go|switch|get|skip|ignore|clear|kill|debug|tell|let|select|enable|disable|format|sort|filter|return|support|allow|prevent|ensure|buffer|parse",
        "behebe|füge|erstelle|entferne|lösche|zeig|zeige|schreib|ändere|benenne|verschiebe|mach|lass|nimm|committe|prüfe|übersetze|erkläre",
        "corrige|ajoute|crée|supprime|montre|écris|change|renomme|déplace|fais|prends|traduis|explique|vérifie|continue",
        "arregla|añade|crea|elimina|borra|muestra|muéstrame|escribe|cambia|renombra|mueve|haz|traduce|explica|revisa|continúa",
        "corrija|adicione|crie|remova|apague|mostre|escreva|mude|renomeie|mova|faça|traduza|explique|verifique|analise",
      ].join("|")})(?![\\p{L}])`,
      "u",
    ),
    /^(?:帮我|幫我|请?修复|修復|添加|加一?个|加一個|删|刪|把|看看|查|写一?个|翻译|改)|(?:直して|追加して|見せて|消して|変更して|調べて|翻訳して)$/,
  ],
}
