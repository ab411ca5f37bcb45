import type { ForbiddenRule } from "../detect-forbidden.ts"
import { isBehindMark, isKeyLike, isPlaceholder, isRandom } from "./placeholders.ts"

const reason = "access token"

/** Secrets recognised by the field, header or file they are in. */
export const secretRules: ForbiddenRule[] = [
  {
    rule: "json-web-token",
    reason,
    hints: ["eyj"],
    reach: 12_000,
    // Only the first `eyJ` of a run is tried: otherwise a long run of them would be read once for each.
    pattern: /eyJ(?<!(?<!\\)[A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{8,1024}\.[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{10,1024}/g,
    isForbidden: (value) => !isPlaceholder(value) && !isSampleJwt(value),
  },
  {
    rule: "encrypted-json-web-token",
    reason,
    hints: ["eyj"],
    reach: 12_000,
    pattern:
      /eyJ(?<!(?<!\\)[A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{8,1024}\.[A-Za-z0-9_-]{0,2048}\.[A-Za-z0-9_-]{10,64}\.[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{16,64}/g,
    isForbidden: isRandom,
  },
  {
    rule: "bearer-token",
    reason,
    hints: ["bearer", "apikey", "ssws", "token"],
    pattern:
      /\b(?:bearer|authorization["'`]?[ \t]{0,2}[:=][ \t]{0,2}["'`]?(?:token|apikey|api-key|ssws|key))["']?[ \t:]{1,3}["'`]?([A-Za-z0-9._~+/=-]{16,4096})/gi,
    isForbidden: isRandom,
  },
  {
    rule: "basic-auth-header",
    reason,
    hints: ["basic"],
    pattern: /authorization["'`]?[ \t]{0,2}[:=,][ \t]{0,2}["'`]?basic[ \t]{1,2}([A-Za-z0-9+/]{8,1024}={0,2})/gi,
    isForbidden: (value) => !isPlaceholder(value),
  },
  {
    rule: "authorization-header",
    reason,
    hints: ["authorization", "x-api-key", "x-auth", "api-key", "private-token", "x-access", "x-token"],
    pattern:
      /\b(?:proxy-)?(?:authorization|x-api-key|x-auth-(?:token|key)|x-access-token|api-key|private-token|x-token|x-[a-z]{2,20}-(?:token|key))["'`]?[ \t]{0,2}[:=,][ \t]{0,2}["'`]?([A-Za-z0-9._~+/=-]{16,4096})/gi,
    isForbidden: isRandom,
  },
  {
    rule: "cookie",
    reason,
    hints: ["cookie"],
    reach: 10_000,
    pattern:
      /\b(?:set-)?cookies?["'`]?[ \t]{0,2}[:=][ \t]{0,2}["'`]?([\w.$-]{1,80}=[^\s;"'`]{8,4096}(?:;[ \t]?[\w.$-]{1,80}=[^\s;"'`]{0,4096}){0,60})/gi,
    isForbidden: (value) => value.split(/;[ \t]?/).some(isSessionPair),
  },
  {
    rule: "session-cookie",
    reason,
    hints: [
      "sessid",
      "sessionid",
      "session_id=",
      "session=",
      "_session=",
      "sid=",
      "csrftoken",
      "xsrf-token",
      "__secure-",
      "__host-",
      "li_at",
      "auth_token",
      "remember_",
    ],
    pattern:
      /(?:(?<![A-Za-z0-9])(?=[A-Za-z_])|(?=_session))(?:JSESSIONID|PHPSESSID|ASP\.NET_SessionId|connect\.sid|S?APISID|[HS]SID|SID|sessionid|session_id|session|csrftoken|XSRF-TOKEN|li_at|auth_token|__(?:Secure|Host)-[\w.-]{1,40}|remember_[a-z_]{2,30}[a-z0-9]{0,60}|(?<=[a-z0-9])_session(?:_id)?)=([^\s;"'`,&]{16,4096})/g,
    isForbidden: isRandom,
  },
  {
    rule: "netrc",
    reason,
    hints: ["login"],
    pattern:
      /\b(?:machine[ \t]{1,4}\S{1,120}|default)\s{1,20}login\s{1,4}\S{1,120}\s{1,20}password\s{1,4}(\S{3,200})/gi,
    isForbidden: (value) => !isPlaceholder(value),
  },
  {
    rule: "npmrc",
    reason,
    hints: ["_auth", "_password"],
    pattern:
      /(?<![A-Za-z0-9])_(?:auth|authToken|password)["']?[ \t]{0,2}[=: ][ \t]{0,2}["']?([A-Za-z0-9+/=_.-]{8,1000})/g,
    isForbidden: (value) => !isPlaceholder(value) && !/^(?:token|string|undefined|null|process)/.test(value),
  },
  {
    rule: "docker-auth",
    reason,
    hints: ['auth"', "auth'", "identitytoken", "auth:"],
    pattern:
      /["']?(?:auth|identitytoken|registrytoken)["']?[ \t]{0,2}:[ \t]{0,2}["']?([A-Za-z0-9+/_-]{12,2000}={0,2})["']?/g,
    isForbidden: (value) => isPair(value) || (value.length >= 32 && isKeyLike(value)),
  },
  {
    rule: "password-hash",
    reason: "credential-like assignment",
    hints: [
      "$1$",
      "$2$",
      "$2a$",
      "$2b$",
      "$2x$",
      "$2y$",
      "$5$",
      "$6$",
      "$y$",
      "$7$",
      "$gy$",
      "$apr1$",
      "$argon2",
      "$pbkdf2",
      "$scrypt",
      "$md5",
    ],
    pattern:
      /\$(?:1|2[abxy]?|5|6|y|7|gy|apr1|md5|argon2(?:id|i|d)|pbkdf2[\w-]{0,16}|scrypt)\$[./A-Za-z0-9$=,+-]{16,300}/g,
    isForbidden: (value) => !isPlaceholder(value.slice(-20)) && /[./A-Za-z0-9]{20,}$/.test(value),
  },
  {
    rule: "password-digest",
    reason: "credential-like assignment",
    hints: ["{sha", "{ssha", "{md5", "{smd5", "{crypt", "{ssha512"],
    pattern: /\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT|PBKDF2[\w-]{0,10})\}[A-Za-z0-9+/=$.]{16,200}/gi,
    isForbidden: (value) => !isPlaceholder(value.slice(-16)),
  },
  {
    rule: "windows-password-hash",
    reason: "credential-like assignment",
    hints: [":::"],
    pattern: /:\d{1,6}:[a-fA-F0-9]{32}:[a-fA-F0-9]{32}:::/g,
  },
  {
    rule: "wifi-code",
    reason: "credential-like assignment",
    hints: ["wifi:"],
    pattern: /\bWIFI:(?:[STH]:[^;\n]{0,64};){1,4}P:([^;\n]{4,64});/gi,
    isForbidden: (value) => !isPlaceholder(value),
  },
  {
    rule: "auth-pair",
    reason: "credential-like assignment",
    hints: ["_auth=", "_auth:", "_auth ="],
    pattern: /[A-Z]_AUTH[ \t]{0,2}[:=][ \t]{0,2}["']?[^\s:"'/=]{1,64}[:/]([^\s"']{4,128})/gi,
    isForbidden: (value) => !isPlaceholder(value),
  },
  {
    rule: "one-time-password-secret",
    reason,
    hints: ["otpauth:", "totp", "2fa", "mfa"],
    pattern:
      /(?:otpauth:\/\/[^\s"'<>]{1,200}?[?&]secret=|(?:totp|2fa|mfa)[^\n]{0,24}[:=][ \t]{0,2}["'`]?)([A-Z2-7]{16,128})(?![a-z0-9])/gi,
    isForbidden: (value) => !isPlaceholder(value) && !/^[a-z]+$/.test(value),
  },
  {
    rule: "recovery-codes",
    reason: "credential-like assignment",
    hints: ["recovery code", "backup code", "2fa code", "scratch code"],
    pattern:
      /(?:recovery|backup|2fa|scratch) codes?[^\n]{0,24}?[:\s]{1,4}((?:[a-z0-9]{4,8}-[a-z0-9]{4,8}[\s,;]{0,4}){1,16})/gi,
    isForbidden: (value) => /\d/.test(value) && !isPlaceholder(value),
  },
  {
    rule: "url-token",
    reason,
    hints: ["token=", "key=", "secret=", "signature=", "sig=", "auth=", "code="],
    pattern:
      /[?&#;](?:access_?token|auth_?token|refresh_?token|id_?token|token|api_?key|key|apikey|secret|client_?secret|x-amz-signature|x-goog-signature|signature|auth|session|code)=([A-Za-z0-9._~%+/=-]{16,2048})/gi,
    isForbidden: isKeyLikeOrLong,
  },
  near(
    "aws-secret-key",
    "aws secret akia asia",
    /aws|secret|AKIA[A-Z0-9]{16}|ASIA[A-Z0-9]{16}/i,
    /[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/,
  ),
  near("cloudflare-token", "cloudflare cf_api", /cloudflare|CF_API/i, /[A-Za-z0-9_-]{37,40}(?![A-Za-z0-9_-])/),
  near("vercel-access-token", "vercel", /vercel/i, /[A-Za-z0-9]{24}(?![A-Za-z0-9])/),
  near("heroku-api-key", "heroku", /heroku/i, /[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}/),
  near("twilio-auth-token", "twilio", /twilio/i, /[a-f0-9]{32}(?![A-Za-z0-9])/),
  near("discord-token", "discord", /discord/i, /[A-Za-z0-9_-]{32}(?![A-Za-z0-9_-])/),
  near("datadog-key", "datadog dd_", /datadog|DD_(?:API|APP)/i, /[a-f0-9]{32,40}(?![A-Za-z0-9])/),
  near("fly-access-token", "flyv1", /FlyV1/i, /fm\d[a-z]?_[A-Za-z0-9+/=_,-]{20,1000}/),
  near(
    "service-key",
    "postmark snyk codecov railway sendbird messagebird squarespace hubspot vapi exa_ scaleway consul_ splunk relic kucoin helius quicknode azure_",
    /postmark|snyk|codecov|railway|sendbird|messagebird|squarespace|hubspot|vapi|exa|scaleway|consul|splunk|new.?relic|kucoin|helius|quicknode|azure/i,
    /[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}/,
  ),
]

/** The last resort: a random value behind a word for a key, in a sentence. */
export const namedToken: ForbiddenRule = {
  rule: "named-token",
  reason,
  hints: [
    "key",
    "token",
    "secret",
    "credential",
    "licen",
    "schlüssel",
    "schluessel",
    "clé",
    "clave",
    "chave",
    "chiave",
    "jeton",
    "segredo",
    "geheimnis",
  ],
  pattern:
    /(?<![A-Za-z])(?:(?:api|access|auth|admin|app|application|service|private|secret|licen[cs]e|subscription|encryption|signing|master|deploy|account|client|integration|refresh|session|oauth|webhook|bot|personal access|write|read|search|ingest|license)[ _-]?(?:key|token|secret|pat)|[a-z0-9]{3,20}[ _-]key|tokens?|secret|credentials?|api[- ]?schl[uü]ssel|cl[eé] (?:api|d['’]api|secr[eè]te)|clave (?:api|de api|secreta)|chave (?:de )?api|chiave (?:api|segreta)|jeton|segredo)[^\n]{0,40}?[\s:="'`(|>→]((?:[A-Za-z0-9_-]{20,400})(?![A-Za-z0-9_-]))/gi,
  isForbidden: (value, { before }) => isKeyLike(value) && !namesOther.test(before.slice(-60)) && !isBehindMark(before),
}

/** Keys and numbers that open nothing. */
const namesOther =
  /\b(?:cache|public|foreign|primary|partition|sort|idempotency|object|storage|etag|commit|sha-?\d*|hash|digest|checksum|fingerprint|revision|id|ids|uuid|instance|container|image|message|tool|call|request|file|folder|path|url|trace|span|node|pod|branch|version|site)\b[^\n]{0,24}$/i

/** A token without a prefix: recognised only by its service's name and a word like "key" before it on the line. */
function near(rule: string, hints: string, service: RegExp, shape: RegExp): ForbiddenRule {
  const named = new RegExp(`(?:${service.source})[^\\n]{0,60}$`, "i")
  const assigned = /(?:key|token|secret|password|auth|bearer)[^\n]{0,30}[:=\s"'`|]$/i
  return {
    rule,
    reason,
    hints: hints.split(" "),
    pattern: new RegExp(`(?<![A-Za-z0-9])${shape.source}`, "gi"),
    isForbidden: (value, { before }) =>
      isRandom(value) && assigned.test(before) && named.test(before) && !isBehindMark(before),
  }
}

function isKeyLikeOrLong(value: string): boolean {
  return isKeyLike(value) || (value.length >= 32 && isRandom(value))
}

function isSessionPair(pair: string): boolean {
  const at = pair.indexOf("=")
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
  if (isPlaceholder(value) || value.length < 8) return false
  return /sess|sid|auth|token|jwt|csrf|xsrf|remember|login|key/i.test(name)
    ? isRandom(value)
    : value.length >= 20 && isRandom(value)
}

/** `user:password` in base64. */
function isPair(value: string): boolean {
  return /^[\x20-\x39\x3b-\x7e]{1,100}:[\x20-\x7e]{3,}$/.test(Buffer.from(value, "base64").toString("latin1"))
}

/** The token shown by jwt.io and half of all documentation. */
function isSampleJwt(value: string): boolean {
  const payload = Buffer.from(value.split(".")[1] ?? "", "base64").toString("latin1")
  return /"sub":"1234567890"/.test(payload) && /John Doe/.test(payload)
}
