import type { ForbiddenFinding, ForbiddenRule, Surroundings } from "../detect-forbidden.ts"
import { isPassword, isReference } from "./assignments.ts"
import { isPlaceholder, isReadable } from "./placeholders.ts"

/** One word, six characters or more, that is not code and holds no place. */
function isChosen(raw: string): boolean {
  const value = raw.replace(/[.,:;!?)*_]+$/, "")
  if (/\s/.test(value)) return isPhrase(value)
  return (
    value.length >= 6 &&
    /^[\p{L}\d!@#$%^&*?+=~_.-]+$/u.test(value) &&
    !isPlaceholder(value) &&
    !isReference(value) &&
    !isName(value)
  )
}

/** Names in code and files: `userPassword`, `PASSWORD_FILE`, `db.password`, `secret-name`. */
function isName(value: string): boolean {
  return (
    /[a-z][A-Z]|^[A-Z][A-Z0-9_]+$|[_./\\]|::|-(?:name|file|id|key|secret|hash|policy|reset|manager|field|input)$/.test(
      value,
    ) || /pass(?:word|phrase|code)?|secret|token|credential|string|hash|^\d+$/i.test(value)
  )
}

/** Words of a phrase: none of them belongs to a sentence about passwords. */
function isPhrase(value: string): boolean {
  const words = value.toLowerCase().split(/[\s-]+/)
  if (words.length < 3 || words.length > 10) return false
  if (words.some((word) => !/^[\p{L}\d!@#$%&*]+$/u.test(word) || sentenceWord.test(word))) return false
  return words.filter(isDescription).length <= (words.length > 3 ? 1 : 0)
}

const sentenceWord =
  /^(?:a|an|the|is|are|was|be|to|of|in|on|at|by|for|with|and|or|not|no|it|its|this|that|as|from|your|you|my|our|their|we|if|but|so|than|then|when|must|should|can|will|has|have|had|per|via|only|at|least|der|die|das|ein|eine|und|ist|im|in|mit|von|f[uü]r|nicht|le|la|les|un|une|et|est|de|du|des|pas|dans|el|los|las|una|y|es|en|con|no|para|por|o|os|as|um|uma|e|em|n[aã]o|com|il|lo|gli|i|di|non|per|che)$/

/** A word that describes a password instead of being one. */
function isDescription(raw: string): boolean {
  const value = raw.toLowerCase().replace(/[.,:;!?)*_]+$/, "")
  return describing.test(value) || ending.test(value)
}

const describing = new RegExp(
  `^(?:${[
    "required|optional|mandatory|needed|necessary|missing|absent|empty|blank|none|null|undefined|unknown|unset|nothing|void|default|same|different|unique|random",
    "string|text|str|bool|boolean|number|integer|int|object|array|any|true|false|yes|enabled|disabled|hidden|visible|masked|plain|plaintext|clear|cleartext|raw|binary|base64|utf8|bcrypt|argon2|scrypt|sha256|md5|hash|salt",
    "wrong|right|correct|incorrect|invalid|valid|weak|strong|short|long|secure|insecure|safe|unsafe|simple|complex|public|private|secret|shared|personal|temporary|permanent|static|dynamic|fixed|expired|stale|fresh|ready|okay|good|better|best|bad|fine|easy|hard|case|sensitive|identical|equal|equivalent|compromised|leaked|exposed|known",
    "here|there|where|above|below|inside|outside|elsewhere|somewhere|within|somehow|later|soon|never|always|already|again|only|also|still|now|then|not|too|very|just|maybe|probably|usually|often|sometimes|once|twice|today|tomorrow|yesterday",
    "stored|kept|saved|set|sent|read|written|hashed|encrypted|shown|given|taken|found|lost|made|built|held|put|used|reset|change|changes|update|update|rotation|rotate|manager|managers|policy|policies|field|fields|form|page|screen|prompt|input|login|logon|logout|signin|signup|user|users|username|admin|root|account|email|mail|server|client|database|vault|keychain|keyring|environment|config|configuration|settings|file|files|path|folder|terminal|browser|dialog|window|button|label|header|body|parameter|argument|option|variable|constant|property|attribute|column|table|length|minimum|maximum|characters|chars|digits|letters|words|symbols|bytes|bits|strength|entropy|complexity|generator|verifier|validator|checker|validation|generation|protection|recovery|history|expiry|expiration|rules?|tests?|check|checks|flow|flows|grant|auth|oauth|sso|mfa|otp|totp|passkey|passkeys|webauthn|biometrics|postgres|mysql|mongo|redis|guest|test|testing|demo|dummy|sample|example|placeholder|todo|tbd|fixme|foo|bar|baz|foobar|value|values|name|names|type|types|data|info|details|section|provider|service|module|component|function|method|class|handler|endpoint|request|response|error|failure|success|message|reason|issue|problem|question|answer|sources?|number|please|thanks",
    "erforderlich|falsch|richtig|notwendig|leer|sicher|unsicher|geheim|gespeichert|bekannt|unbekannt|vergessen|korrekt|ung[uü]ltig|g[uü]ltig|zu|im|nicht|noch|immer|hier|dort",
    "requis|requise|obligatoire|facultatif|incorrecte?|correcte?|invalide|valide|vide|faible|forte?|s[eé]curis[eé]e?|oubli[eé]e?|perdue?|expir[eé]e?|stock[eé]e?|connue?|inconnue?|ici",
    "obligatoria|requerida|incorrecta|correcta|v[aá]lida|inv[aá]lida|vac[ií]a|d[eé]bil|fuerte|segura|olvidada|perdida|caducada|guardada|secreta|aqu[ií]|err[oó]nea",
    "obrigat[oó]ria|incorreta|correta|fraca|forte|errada|esquecida|expirada|guardada|vazia|necess[aá]ria|aqui",
    "obbligatoria|richiesta|errata|sbagliata|corretta|valida|vuota|debole|sicura|dimenticata|scaduta|salvata|qui",
  ].join("|")})$`,
)

/** Endings of participles, adverbs and abstract nouns; a password that has one is still caught by a digit or a mark. */
const ending = /(?:[^aeiou]ed|[a-z]{3}ing|able|ible|ally|ly|tion|sion|ment|ness|ance|ence|ency|less|ized|ised)$/

/** Words for a password in the languages that Drey reads. */
const names = [
  "pass[ _-]?words?|pass ?codes?|pass[ -]?phrases?|passwd|pwd|pw|login details|credentials?|creds",
  "pass?w[oö]rte?r?|kennw[oö]rte?r?|losung|zugangsdaten|zugangscode",
  "mots? de passe|mdp|code secret|phrase secr[eè]te|identifiants",
  "contrase[nñ]as?|clave(?: de acceso| secreta)?|frase de contrase[nñ]a",
  "senhas?|palavra[- ]?(?:passe|chave)",
  "parola d['’]ordine|parola chiave|chiave d['’]accesso",
  "パスワード|暗証番号|密码|密碼|口令",
].join("|")
const start = "(?<![A-Za-z0-9_\\u00c0-\\u024f-])"
const hints = [
  ...[
    "password",
    "pass word",
    "pass_word",
    "pass-word",
    "passwd",
    "passphrase",
    "pass phrase",
    "pass-phrase",
    "passcode",
    "pass code",
  ],
  ...[
    "pwd",
    "pw:",
    "pw ",
    "pw=",
    "pw-",
    "login details",
    "creds",
    "credential",
    "passwort",
    "kennwort",
    "losung",
    "zugangs",
  ],
  ...[
    "passwör",
    "kennwör",
    "mot de passe",
    "mots de passe",
    "mdp",
    "code secret",
    "phrase secr",
    "identifiant",
    "contrase",
    "clave",
  ],
  ...["frase de", "senha", "palavra", "parola", "chiave d", "パスワード", "暗証番号", "密码", "密碼", "口令"],
]
const accounts =
  "admin administrator root superuser sysadmin sa guest demo tester testuser user ubuntu pi oracle tomcat jenkins grafana elastic rabbitmq minioadmin"
    .split(" ")
    .flatMap((name) => [":", "/", " /", " :", " |", "|"].map((sign) => name + sign))
const passes = [
  "pass:",
  "pass is",
  "pass was",
  "pass=",
  "pass :",
  "pass =",
  "pass ->",
  "pass->",
  "passw",
  "psw",
  "pword",
  "p/w",
  "kennw",
  "senh",
  "clv",
]
const logins = [
  ...[
    "login",
    "log in",
    "logged in",
    "logon",
    "log on",
    "sign in",
    "signin",
    "signed in",
    "credential",
    "creds",
    "username",
    "user:",
    "user=",
  ],
  ...[
    "account:",
    "accounts:",
    "anmeld",
    "zugang",
    "benutzer",
    "konto",
    "connexion",
    "connecte",
    "identifiant",
    "compte",
    "usuario",
    "acceso",
    "accede",
  ],
  ...["utilisateur", "usuário", "acesso", "accesso", "utente", "accedi"],
]

/** The text between the name and the value. */
const sign = "[ \\t]{0,3}(?::=|=>|->|={1,2}|:|：|→|⇒|➜|—|–|--?(?=[ \\t])|は|是|为|為)[ \\t]{0,3}"
const verb =
  "[ \\t]{1,2}(?:(?:(?:is|was|has been|got)[ \\t])?(?:set|changed|reset|updated|rotated)[ \\t]to|is|was|will be|should be|are|equals|becomes|ist|lautet|war|wird|hei(?:ß|ss)t|est|sera|c['’]est|es|era|ser[aá]|foi|sar[aà]|[eéè]['’]?)(?:[ \\t]{1,2}(?:now|still|just|simply|currently|jetzt|nun|maintenant|ahora|agora|ora))?[ \\t:]{1,3}"
/** "password for the staging database", "Passwort vom Server": up to five words more. */
const about =
  "(?:[ \\t](?:for|of|to|on|in|at|f[uü]r|vom|von|zum|zur|am|im|de|du|des|pour|del|para|do|da|di|per|per il|la|le|el|o|a|il)[ \\t][^\\n:=.|()\"'`]{1,40}?)?"
const marks = "[*_`\\]]{0,3}"
const opening = "[ \\t]{0,2}[*_]{0,2}[ \\t]{0,2}"
const given =
  "(?:\"([^\"\\n]{3,80})\"|'([^'\\n]{3,80})'|`([^`\\n]{3,80})`|[“„]([^”“\\n]{3,80})[”“]|[‘‚]([^’‘\\n]{3,80})[’‘]|«[ \\u00a0]?([^»\\n]{3,80}?)[ \\u00a0]?»|([^\\s\"'`,;|<>()\\[\\]{}“”„«»]{3,128}))"

/** How people share a password in a sentence or in notes. */
export const spokenRules: ForbiddenRule[] = [
  spoken("password-said", `${start}(?:${names})${marks}${about}${verb}${opening}${given}`, (value, around) =>
    isSaid(value, around),
  ),
  spoken("password-noted", `${start}(?:${names})${marks}${about}${sign}${opening}${given}`, (value, around) =>
    isSaid(value, around),
  ),
  spoken(
    "password-phrase",
    `${start}(?:pass[ _-]?(?:words?|phrases?)|passwort|kennwort|mots? de passe|phrase secr[eè]te|contrase[nñ]a|clave|senha|parola d['’]ordine)${marks}${about}(?:(?:${sign}|${verb})["'\`“„«]?|[ \\t]["'\`“„«])([a-zà-ÿ]{2,14}(?:[ -][a-zà-ÿ]{2,14}){2,9})(?=["'\`”“»]|[.!]?[ \\t]{0,3}(?:\\r?\\n|$))`,
    (value) => isPhrase(value),
  ),
  spoken(
    "password-with",
    `(?:with|using|use|enter|type|via|and|mit|mit dem|nutze|avec|avec le|utilise[rz]?|con|con la|usa|usando|com|com a|use a|con il)[ \\t](?:the[ \\t]|dem[ \\t]|das[ \\t]|le[ \\t]|la[ \\t]|a[ \\t]|o[ \\t]|il[ \\t])?(?:[a-z]{2,12}[ \\t])?(?:${names})[ \\t:=]{1,3}${opening}${given}`,
    (value, around) => (isQuoted(around) ? isChosen(value) : isPassword(value) && isStrongOrEnds(value, around)),
  ),
  spoken(
    "password-to",
    `(?:set|change[ds]?|reset|updated?|rotated?|make|setze|[aä]ndere|ge[aä]ndert|cambia|cambi[oó]|changer?|chang[eé]|mudar?|imposta)\\b[^\\n.]{0,50}?(?:${names})${about}[ \\t](?:to|as|auf|zu|en|[aà]|para|in|su)[ \\t]${opening}${given}`,
    (value, around) => (isQuoted(around) ? isChosen(value) : isPassword(value) || /^\d{4,8}$/.test(value)),
  ),
  spoken(
    "password-to-quoted",
    `${start}(?:${names})[ \\t](?:to|as|auf|en|para)[ \\t](?:"([^"\\n]{4,64})"|'([^'\\n]{4,64})'|\`([^\`\\n]{4,64})\`)`,
    (value) => isChosen(value),
  ),
  spoken(
    "password-of-quoted",
    `${start}(?:${names})[ \\t](?:to|for|of|on|in|de|del|para|pour|f[uü]r|di|du|do|da)[ \\t][^\\n"'\`.]{1,40}["'\`“]([^\\s"'\`”]{4,64})(?=["'\`”])`,
    (value, around) =>
      endsClause(around) && (isPassword(value) || (isChosen(value) && !isDescription(value))) && !isCodeLine(around),
  ),
  spoken(
    "user-and-password",
    `(?<![A-Za-z])u(?:ser|sername)?[:=][ \\t]?[^\\s,;/]{1,64}[ \\t,;/|]{1,3}p(?:w|wd|ass|assword)?[:=][ \\t]?["'\`]?([^\\s"'\`,;|]{4,128})`,
    isPassword,
    [" p:", " p=", ",p:", ",p=", "/p:", "pw:", "pw=", "pass:", "pass=", "word:", "word="],
  ),
  spoken(
    "password-in-brackets",
    `${start}(?:${names})${marks}[ \\t]{0,2}[(\\[{]["'\`]?([^\\s()\\[\\]{}"'\`]{4,64})["'\`]?(?=[)\\]}])`,
    isPassword,
  ),
  spoken(
    "password-after",
    `${start}(?:${names})[ \\t](?:(?!is|was|to|for|and|or)[a-z]{2,12}[ \\t]){0,2}${given}`,
    (value, around) => isPassword(value) && (isQuoted(around) || isStrong(value)),
  ),
  spoken(
    "password-before",
    `(?<![^\\s"'\`(“„«:>])${given}[ \\t](?:is|was|as|ist|est|es|como|comme|als|=|[eéè])[ \\t](?:the|our|my|your|its|a|das|unser|mein|le|la|el|notre|nuestra|a|o|il|nossa)?[ \\t]?(?:[a-z]{2,14}[ \\t]){0,2}(?:${names})(?![A-Za-z])`,
    (value) => isPassword(value) && isStrong(value),
  ),
  spoken(
    "password-on-next-line",
    `(?:^|[:.!?] )[ \\t>#*|-]{0,8}[*_]{0,2}(?:[A-Za-z]{2,14}[ \\t]){0,3}(?:${names})[*_]{0,2}[ \\t]{0,2}[:：]?[*_]{0,2}[ \\t]{0,3}\\r?\\n(?:[ \\t]{0,8}\\r?\\n|[ \\t]{0,8}\`\`\`[a-z]{0,10}\\r?\\n)?[ \\t>*-]{0,8}[\`"'*]{0,2}([^\\s"'\`|]{4,128})[\`"'*]{0,2}[ \\t]{0,4}(?=\\r?\\n|$)`,
    (value) => isPassword(value) || (isChosen(value) && !isDescription(value)),
  ),
  spoken(
    "pass-label",
    `${start}(?:pass|passw|psw|pword|p/w|kennw|senh|clv)[*_]{0,2}(?:[ \\t]{0,2}(?:[:=]|->|→)|[ \\t](?:is|was))[ \\t]{0,3}${given}`,
    (value) => isPassword(value) && !/^\d+[/%]|%$/.test(value),
    passes,
  ),
  spoken(
    "pin",
    `${start}(?:pin|PIN|Pin)(?:[- ]?(?:code|number|nummer))?[*_]{0,2}(?:[ \\t](?:for|of|f[uü]r|de|para|di)[ \\t][^\\n:=.]{1,30}?)?(?:${sign}|${verb}|,?[ \\t](?=\\d{4}\\b))["'\`*]{0,2}(\\d{4,8})(?!\\d|[.:/-]\\d|[a-zA-Z%])`,
    (value, { before }) =>
      !/gpio|version|spin|node|pull|commit|issue|pr\b/i.test(before) && !/^(?:19|20)\d{6}$/.test(value),
    ["pin"],
  ),
  spoken(
    "login-pair",
    `(?<![A-Za-z])(?:log(?:ged)? ?in|sign(?:ed)? ?in|logon|login|log on|accounts?|credentials?|creds|user(?:name)?|anmelden|anmeldung|zugang|zugangsdaten|benutzer|konto|connexion|connecte[rz]?|identifiants|compte|usuario|acceso|accede|utilisateur|usu[aá]rio|acesso|accesso|utente|accedi)(?![A-Za-z])[^\\n|]{0,24}?[ \\t:="'\`][A-Za-z][\\w.@+-]{1,63}["'\`]?(?:[ \\t]?(?:/|:|\\|)[ \\t]?|[ \\t]?(?:,|;|\\band|\\bund|\\bwith|\\bmit|\\bet|\\by|\\be|->|→|/)[ \\t]{1,2}(?:${names}|pass|pw)[ \\t:=]{1,3}(?:is[ \\t])?)["'\`]?([^\\s"'\`,;|<>()\\[\\]{}=%]{4,128})(?![=%(])`,
    (value) => isPassword(value) && isStrong(value) && !isAddress(value) && !/^[0-9a-f]{6,40}\W?$/.test(value),
    logins,
  ),
  spoken(
    "account-pair",
    `(?<![\\w/.@:-])(?:admin|administrator|root|superuser|sysadmin|sa|guest|demo|tester|testuser|user|ubuntu|pi|oracle|tomcat|jenkins|grafana|elastic|rabbitmq|minioadmin)[ \\t]?(?::|/|\\|)[ \\t]?([^\\s"'\`,;|<>()\\[\\]{}/:]{6,64})(?![\\w/:.-])`,
    (value, around) =>
      isPassword(value) &&
      !isAddress(value) &&
      !/^[a-z0-9]+(?:-[a-z0-9]+){2,}$/.test(value) &&
      (isStrong(value) ||
        (/(?:admin|administrator|root)(?::| \/ )$/i.test(around.before) &&
          /^[a-z]{3,}\d{2,}\W{0,2}$/i.test(value) &&
          endsClause(around))),
    accounts,
  ),
  {
    rule: "password-column",
    reason: "credential-like assignment",
    hints,
    pattern: new RegExp(`^[^\\n]{0,300}(?:${names}|pass)[^\\n]{0,300}$`, "gim"),
    find: findInColumns,
  },
]

function spoken(
  rule: string,
  pattern: string,
  isForbidden: (value: string, around: Surroundings) => boolean,
  words: readonly string[] = hints,
): ForbiddenRule {
  return { rule, reason: "credential-like assignment", hints: words, pattern: new RegExp(pattern, "gim"), isForbidden }
}

/** A value after "is" or a colon: a password by its characters, or any single word that ends the sentence and describes nothing. */
function isSaid(value: string, around: Surroundings): boolean {
  if (isPassword(value)) return isQuoted(around) || !isCodeLine(around) || isStrong(value)
  if (isQuoted(around)) return isChosen(value) && !isDescription(value) && !isCodeLine(around)
  return (
    endsClause(around) &&
    !/\bpwd\W{0,4}$/i.test(around.before) &&
    isChosen(value) &&
    !isDescription(value) &&
    !isCodeLine(around)
  )
}

/** What follows the value ends the line or the clause. */
function endsClause({ after }: Surroundings): boolean {
  return (
    /^["'`*”’»)]{0,3}[.!,;]?["'`*”’»)]{0,3}(?:\s|$)/.test(after) &&
    /^["'`*”’»).!,;]{0,4}[ \t]{0,3}(?:$|\||\(|—|–|-[ \t]|and\b|for\b|but\b|und\b|et\b|y\b|e\b)/.test(after)
  )
}

function isQuoted({ before, after }: Surroundings): boolean {
  return /["'`“„‘‚«][ \u00a0]?$/.test(before) && /^[ \u00a0]?["'`”“’‘»]/.test(after)
}

/** Whether the line is code, where a bare word after a colon is a type or a variable. */
function isCodeLine({ before, after }: Surroundings): boolean {
  const line = `${before}\u0000${after}`
  return (
    /[;{}]\s*$|^\s*(?:const|let|var|if|return|import|export|public|private|protected|def|func|function|class|interface|type|async|await|@)\b|=>|\)\s*[{:]|\(\{|[?!]?:\s*\u0000\s*[,})|]/.test(
      line,
    ) || /[({,]\s*["'`]?[\w]+["'`]?\s*[:=]\s*["'`]?$/.test(before)
  )
}

/** Letters with a digit, and both cases or a mark. */
function isStrong(value: string): boolean {
  return (
    value.length >= 7 &&
    /[A-Za-z]/.test(value) &&
    /\d/.test(value) &&
    !isReadable(value) &&
    !/^[a-z]+[-_.]?v?\d+(?:[.-]\d+)*$/i.test(value) &&
    (/[!@#$%^&*?+=~]/.test(value) ||
      (/[a-z]/.test(value) && /[A-Z]/.test(value)) ||
      /\d[a-z]|[a-z]\d+[a-z]/i.test(value)) &&
    !/^[\w.-]+\.[a-z]{2,4}$/i.test(value)
  )
}

function isStrongOrEnds(value: string, around: Surroundings): boolean {
  return isStrong(value) || endsClause(around)
}

function isAddress(value: string): boolean {
  return /^[\w.+-]+@[\w-]+\.|^https?:|^\d+\.\d+|\.(?:com|org|net|io|dev|local|md|json|ts|js|py|yml|yaml)\b|^v?\d+\.\d/i.test(
    value,
  )
}

/** Values below a heading "password" in a table of Markdown, CSV or tabs. */
function findInColumns(text: string, header: RegExpExecArray): Pick<ForbiddenFinding, "start" | "end">[] {
  const line = header[0]
  const separator = line.includes("|") ? "|" : line.includes("\t") ? "\t" : line.includes(";") ? ";" : ","
  const cells = line.split(separator)
  if (cells.length < 2) return []
  const column = cells.findIndex((cell) => isHeading.test(cell.trim()))
  const lineAbove =
    text
      .slice(Math.max(0, header.index - 400), Math.max(0, header.index - 1))
      .split("\n")
      .at(-1) ?? ""
  if (lineAbove.includes(separator)) return [] // a heading is the first row
  if (column < 0 || cells.some((cell) => cell.length > 40)) return []
  const found: Pick<ForbiddenFinding, "start" | "end">[] = []
  for (let at = header.index + line.length + 1, row = 0; row < 50 && at < text.length; row++) {
    const end = text.indexOf("\n", at) === -1 ? text.length : text.indexOf("\n", at)
    const values = text.slice(at, end).split(separator)
    if (values.length !== cells.length) break
    const written = values[column] ?? ""
    const value = written.trim().replace(/^[`"'*]+|[`"'*\r]+$/g, "")
    const start = at + values.slice(0, column).join(separator).length + (column > 0 ? 1 : 0) + written.indexOf(value)
    if (isPassword(value) || (isChosen(value) && !isDescription(value) && separator === "|"))
      found.push({ start, end: start + value.length })
    at = end + 1
  }
  return found
}

const isHeading = new RegExp(`^[*_\`"']{0,3}(?:[A-Za-z]{2,12}[ _-])?(?:${names}|pass)[*_\`"']{0,3}$`, "i")
