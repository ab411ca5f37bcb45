import { isReference } from "./assignment-rules.ts"
import { isPlaceholder } from "./placeholder.ts"

/** One word, six characters or more, that is not code and holds no place. */
export function isChosen(raw: string): boolean {
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
export function isPhrase(value: string): boolean {
  const words = value.toLowerCase().split(/[\s-]+/)
  if (words.length < 3 || words.length > 10) return false
  if (words.some((word) => !/^[\p{L}\d!@#$%&*]+$/u.test(word) || sentenceWord.test(word))) return false
  return words.filter(isDescription).length <= (words.length > 3 ? 1 : 0)
}

const sentenceWord =
  /^(?:a|an|the|is|are|was|be|to|of|in|on|at|by|for|with|and|or|not|no|it|its|this|that|as|from|your|you|my|our|their|we|if|but|so|than|then|when|must|should|can|will|has|have|had|per|via|only|at|least|der|die|das|ein|eine|und|ist|im|in|mit|von|f[uü]r|nicht|le|la|les|un|une|et|est|de|du|des|pas|dans|el|los|las|una|y|es|en|con|no|para|por|o|os|as|um|uma|e|em|n[aã]o|com|il|lo|gli|i|di|non|per|che)$/

/** A word that says something of a password instead of being one. */
export function isDescription(raw: string): boolean {
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
