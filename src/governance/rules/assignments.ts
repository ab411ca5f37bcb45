import type { ForbiddenRule, Surroundings } from "../detect-forbidden.ts"
import { entropyOf, isPlaceholder, isRandom, isReadable } from "./placeholders.ts"

const value = "[\"']?((?<=\")[^\"\\n]{3,128}|(?<=')[^'\\n]{3,128}|[^\\s\"'`|;&)]{3,128})"
const near = "[^\\n|;&]{0,200}?[ \\t]"

/** Passwords on command lines and in database statements. The option names it, so that any word counts. */
export const commandRules: ForbiddenRule[] = [
  command(
    "curl-user-password",
    "curl wget http",
    `\\b(?:curl|wget|https?)\\b${near}(?:-u|--user|-U|--proxy-user|-a)[ \\t=]?["']?[^\\s:"']{1,64}:([^\\s"'\`]{4,128})`,
  ),
  command(
    "mysql-password",
    "mysql mariadb mycli",
    `\\b(?:mysql(?:dump|admin|import|sh)?|mariadb(?:-dump|-admin)?|mycli)\\b${near}-p(?!\\s|ort\\b|rotocol\\b)${value}`,
  ),
  command(
    "short-password-option",
    "mongo sshpass login cqlsh rabbitmqadmin",
    `\\b(?:mongo(?:sh|dump|restore|export|import)?|sshpass|(?:docker|podman|helm|oc|skopeo|buildah|crane)[ \\t](?:registry[ \\t])?login|az[ \\t]login|cqlsh|rabbitmqadmin|mongosh)\\b${near}?-p[ \\t]{0,2}${value}`,
  ),
  command(
    "password-option",
    "redis-cli ldap sqlcmd bcp isql mosquitto zip useradd",
    `\\b(?:redis-cli\\b${near}-a|ldap(?:search|modify|add|whoami|passwd)\\b${near}-w|(?:sqlcmd|bcp|isql)\\b${near}-P|mosquitto_(?:pub|sub|rr)\\b${near}-P|(?:zip|unzip)\\b${near}-P|useradd\\b${near}-p)[ \\t]{1,3}${value}`,
  ),
  command("archive-password", "7z+ 7za 7zz rar+ unrar", `\\b(?:7za?|7zz|rar|unrar)\\b${near}-h?p${value}`),
  command(
    "htpasswd-password",
    "htpasswd",
    `\\bhtpasswd[ \\t]${near}?-[a-zA-Z]*b[a-zA-Z]*[ \\t]\\S{1,120}[ \\t]\\S{1,64}[ \\t]${value}`,
  ),
  command(
    "smb-password",
    "smbclient smbget mount.cifs rpcclient",
    `\\b(?:smbclient|smbget|mount\\.cifs|rpcclient)\\b${near}-U[ \\t]?["']?[^\\s%"']{1,64}%([^\\s"'\`]{3,128})`,
  ),
  command(
    "net-use-password",
    "net+use net+user net.exe",
    `\\bnet(?:\\.exe)?[ \\t](?:use[ \\t]\\S{3,120}|user[ \\t]\\S{1,64})[ \\t](?!/)([^\\s"'\`*/]{4,128})(?=[ \\t]/)`,
  ),
  command(
    "remote-desktop-password",
    "freerdp rdesktop cmdkey runas",
    `\\b(?:[xw]l?freerdp|cmdkey|rdesktop|mstsc)\\b${near}(?:/p(?:ass)?:|-p[ \\t])${value}`,
  ),
  command("key-store-password", "storepass keypass", `-(?:dest|src|new)?(?:store|key)pass[ \\t]{1,3}${value}`),
  command("openssl-password", "pass:", `-pass(?:in|out)?[ \\t]{1,3}["']?pass:([^\\s"'\`]{3,128})`),
  command(
    "passphrase-option",
    "--pass --pw --http-pass --ftp-pass --proxy-pass --user-pass --admin-pass --db-pass --root-pass --new-pass --old-pass --storepass",
    `--(?:passphrase|http-passw(?:or)?d|ftp-password|proxy-password|user-password|admin-password|db-password|root-password|new-password|old-password|storepass|passwd|pass|pw|password)(?:=|[ \\t]{1,3})${value}`,
  ),
  command(
    "password-into-sudo",
    "echo",
    `\\becho[ \\t]{1,3}(?:-n[ \\t])?${value}["']?[ \\t]{0,3}\\|[ \\t]{0,3}(?:sudo[ \\t](?:-[a-zA-Z]+[ \\t]){0,3}?-[a-zA-Z]*S|su\\b|passwd|kinit|gpg|cryptsetup|(?:docker|podman|helm|oc|az|gh|vault|npm)\\b[^\\n]{0,80}(?:stdin|with-token|-))`,
  ),
  command(
    "password-here-string",
    "<<<",
    `\\b(?:sudo[ \\t](?:-[a-zA-Z]+[ \\t]){0,3}?-[a-zA-Z]*S\\b[^\\n<]{0,100}|su\\b[^\\n<]{0,60}|passwd[^\\n<]{0,60}|docker login[^\\n<]{0,100}|gh auth[^\\n<]{0,60}|kinit[^\\n<]{0,60})<<<[ \\t]?${value}`,
  ),
  command(
    "chpasswd",
    "chpasswd",
    `["'\\s]([a-z_][\\w-]{0,31}:[^\\s"'\`:|]{3,128})["']?[ \\t]{0,3}\\|[ \\t]{0,3}(?:sudo[ \\t])?chpasswd|chpasswd[ \\t]{0,3}<<<[ \\t]?["']?([a-z_][\\w-]{0,31}:[^\\s"'\`:|]{3,128})`,
  ),
  command(
    "password-variable",
    "pgpassword mysql_pwd sshpass rediscli_auth _pass _pwd",
    `\\b(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH|RESTIC_PASSWORD|BORG_PASSPHRASE|SUDO_PASSWORD|SMTP_PASS(?:WORD)?|KEYSTORE_PASSWORD|VNC_PASSWORD|[A-Z][A-Z0-9_]{0,40}_(?:PASSWORD|PASSWD|PASSPHRASE|PWD|PASS))=${value}`,
  ),
  command(
    "sql-password",
    "identified password",
    `\\b(?:IDENTIFIED(?:[ \\t]WITH[ \\t]\\S{1,40})?[ \\t](?:BY|AS)(?:[ \\t]PASSWORD)?|(?:(?:CREATE|ALTER)[ \\t](?:USER|ROLE|LOGIN)[^\\n;]{1,120}?|[ \\t])(?:ENCRYPTED[ \\t])?PASSWORD[ \\t]?=?|SET[ \\t]PASSWORD[^\\n;]{0,60}?=[ \\t]?(?:PASSWORD\\()?)[ \\t]{0,3}'([^'\\n]{3,128})'?`,
  ),
  command(
    "oracle-password",
    "sqlplus expdp impdp",
    `\\b(?:sqlplus|expdp|impdp|sqlldr|rman)\\b[^\\n]{0,60}?[ \\t]["']?[A-Za-z_]\\w{0,30}/([^\\s@"'\`/]{3,64})(?=@|["']|\\s|$)`,
  ),
  command("redis-password", "requirepass masterauth", `\\b(?:requirepass|masterauth)[ \\t]{1,3}${value}`),
  command("ftp-password", "lftp ftp", `\\bl?ftp\\b${near}-u[ \\t]?["']?[^\\s,"']{1,64},([^\\s"'\`]{3,128})`),
  command(
    "secure-string",
    "convertto-securestring",
    `ConvertTo-SecureString[ \\t]{1,3}(?:-String[ \\t]{1,3})?${value}`,
  ),
  command(
    "expect-password",
    "assword",
    `\\bexpect[^\\n]{0,60}assword[^\\n]{0,20}\\n?[^\\n]{0,10}send[ \\t]{1,3}["']([^"'\\\\\\n]{3,64})`,
  ),
  command("vault-login", "vault+login", `\\bvault[ \\t]login[ \\t]{1,3}(?!-)${value}`, isPassword),
]

function command(rule: string, hints: string, pattern: string, check = isGiven): ForbiddenRule {
  return {
    rule,
    reason: "credential-like assignment",
    hints: hints.split(" ").map((hint) => hint.replace("+", " ")),
    pattern: new RegExp(pattern, "gi"),
    isForbidden: check,
  }
}

/** Whether a value is literal: not a variable, not a file, not a placeholder for a password. */
function isGiven(raw: string): boolean {
  return (
    !isPlaceholder(raw) &&
    !/^[-/.~@<>$%({[]|^(?:pass(?:word)?|passwd|secret|token|pwd|user(?:name)?|stdin|prompt|file|env|string|true|false|null|none|yes|no|is|and|or|to|for|the|from|with|in|on)$|^\W+$/i.test(
      raw,
    )
  )
}

const passwordName =
  "pass[_-]?word|passwd|pass[_-]?phrase|pass[_-]?code|pwd|community[ _-]string|[a-z0-9]_pass|[a-z0-9]_pw|(?<![a-z])(?:wpa[_-]?)?psk"
const tokenName =
  "secret|token|api[_-]?key|app[_-]?key|access[_-]?key|auth[_-]?key|account[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|master[_-]?key|credentials?|[a-z0-9]_(?:key|pat|auth|psk|cookie|creds?|jwt|dsn|salt)|(?<![a-z])(?:pat|apikey)(?=[=:])"
const suffix = "s?(?:[_-][a-z0-9_-]{0,30}|key|value|text)?"
const quoted = "\"([^\"\\n]{4,256})|'([^'\\n]{4,256})|`([^`\\n]{4,256})"
const hints = [
  "pass",
  "community",
  "pwd",
  "secret",
  "token",
  "key",
  "cred",
  "_pat",
  "pat=",
  "pat:",
  "_auth",
  "psk",
  "_cookie",
  "_jwt",
  "_dsn",
  "_salt",
]

/** Secrets recognised only by what they are assigned to: `password=…`, `"api_key": "…"`, "the password is …", and by connection strings. */
export const assignmentRules: ForbiddenRule[] = [
  {
    rule: "url-password",
    reason: "connection string secret",
    hints: ["://"],
    pattern: /:\/\/[^\s:@/?#"'`<>]{0,100}:([^\s@/"'`<>]{1,200})(?=@[\w[.${<-])/gi,
    isForbidden: (value, around) => !isPlaceholder(value) && !isSampleUrl(value, around),
  },
  {
    rule: "storage-account-key",
    reason: "connection string secret",
    hints: ["accountkey", "sharedaccesskey", "sharedaccesssignature"],
    pattern: /\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)[ \t]?=[ \t]?([^\s;"'`<>]{8,512})/gi,
    isForbidden: (value) => !isPlaceholder(value),
  },
  {
    rule: "shared-access-signature",
    reason: "connection string secret",
    hints: ["sig="],
    pattern: /[?&]sig=([A-Za-z0-9%+/=_-]{20,256})/gi,
    isForbidden: (value) => !isPlaceholder(value),
  },
  {
    rule: "connection-string-password",
    reason: "connection string secret",
    hints: ["password", "pwd"],
    pattern: /\b(?:password|pwd)[ \t]?=[ \t]?([^\s;"'`]{1,200})/gi,
    isForbidden: (value, around) => !isPlaceholder(value) && isInConnectionString(around),
  },
  {
    rule: "password-assignment",
    reason: "credential-like assignment",
    hints,
    pattern: assignment(passwordName),
    isForbidden: (value, around) => isPassword(value) || isBareKebab(value, around),
  },
  {
    rule: "secret-assignment",
    reason: "credential-like assignment",
    hints,
    pattern: assignment(tokenName),
    isForbidden: (value, around) => isMachineMade(value) || isBareKebab(value, around),
  },
  {
    rule: "secret-in-prose",
    reason: "credential-like assignment",
    hints,
    pattern: prose(tokenName.replaceAll("[_-]?", "[ _-]?")),
    isForbidden: isMachineMade,
  },
  {
    rule: "password-flag",
    reason: "credential-like assignment",
    hints: ["--pass", "--token", "--secret", "--api"],
    pattern: /--(?:password|passwd|token|secret|api-?key)[ \t]{1,3}["']?([^\s"'`]{6,256})/gi,
    isForbidden: isPassword,
  },
  {
    rule: "password-element",
    reason: "credential-like assignment",
    hints: ["<pass", "<pwd", "<secret", "<token", "<api"],
    pattern: /<(?:password|passwd|pwd|secret|token|api_?key)>([^\s<>]{6,256})(?=<\/)/gi,
    isForbidden: isPassword,
  },
]

/** `user:password@localhost`: if name, password and host are all placeholders, it is not a secret. */
function isSampleUrl(value: string, { before, after }: Surroundings): boolean {
  return (
    /^(?:pass|password)$/i.test(value) &&
    /\/\/(?:user|username):$/i.test(before) &&
    /^@(?:localhost|host|hostname)\b/i.test(after)
  )
}

function assignment(name: string): RegExp {
  const between = "[\"'`*\\]]{0,3}[ \\t]{0,3}(?::=|=>|={1,3}|:|\\|)[ \\t]{0,3}[*]{0,2}[ \\t]{0,2}"
  return new RegExp(`(?:${name})${suffix}${between}(?:${quoted}|([^\\s"'\`,;|]{6,256}))`, "gi")
}

function prose(name: string): RegExp {
  const between =
    "(?:[ \\t](?:for|of|to|on|in)[ \\t][^\\n:=.]{1,40}?)?[ \\t](?:is|was|set to|changed to|equals)[ \\t:]{1,3}"
  return new RegExp(`\\b(?:${name})${between}(?:${quoted}|([^\\s"'\`,;|]{6,256}))`, "gi")
}

const algorithm =
  /^(?:sha|md|aes|rsa|hs|rs|es|ps|ed|utf|base|argon|pbkdf|oauth|http|x|v|tls|ipv|bcrypt|scrypt|blake|p|s|h|i|l|k)-?\d+[a-z]{0,3}(?:[-_/.].*)?$/i
const code =
  /^[A-Za-z_$][\w.$?!]*[([<]|^[./~@#&|({[\\]|::|=>|->|\/\/|^--|^(?:secretref|keyvault|vault|op|ref|arn|urn|file|env|kv):/i
const memberAccess = /^[A-Za-z_]\w*\??(?:\.[A-Za-z_]\w*)+[?!]?$/
const measure =
  /^[~<>]?\d+[-\w]{0,2}(?:min|char|day|hour|sec|bit|byte|word|digit|token|week|month|year|step|line|[kmg]b?$|ms$|s$)/i

/** A value people choose: seven characters or more, letters with a digit or a mark that no identifier has, or letters without a word. */
export function isPassword(raw: string): boolean {
  const value = trimmed(raw)
  if (value.length < 7 || isPlaceholder(raw) || isReference(value)) return false
  const letters = /[A-Za-z]/.test(value)
  const mark = /[!@#$%^&*?+=~]/.test(value.slice(0, -1)) || /[!@#$%^&*]$/.test(value)
  if (/^[A-Za-z]{8,64}$/.test(value)) return /[a-z][A-Z]/.test(value) && entropyOf(value) >= 2.8 && !isReadable(value)
  return (letters && /\d/.test(value)) || (mark && (letters || /\d/.test(value)))
}

/** A value a machine made: longer, with letters and digits, and not readable as a name. */
function isMachineMade(raw: string): boolean {
  const value = trimmed(raw)
  if (/^[A-Za-z0-9+/]{40,}={1,2}$/.test(value) && isRandom(value)) return true // also if it begins like a path
  if (value.length < 8 || isPlaceholder(raw) || isReference(value) || !/[A-Za-z]/.test(value)) return false
  if (/\d/.test(value)) return entropyOf(value) >= 2.5 && !isReadable(value)
  return value.length >= 16 && /^[A-Za-z+/=]+$/.test(value) && isRandom(value)
}

/** Words joined by hyphens right behind an equals sign: a passphrase, unless they name another secret. */
function isBareKebab(raw: string, { before }: Surroundings): boolean {
  const value = trimmed(raw)
  const joined = value.length >= 12 && /^[a-z]+(?:-[a-z]+){2,8}$/i.test(value)
  return joined && /[a-z0-9]=$/i.test(before) && !isPlaceholder(value) && !namesSecret.test(value)
}

const namesSecret = new RegExp(`(?:${tokenName}|name|id|ref)$`, "i")

/** Whether a value is a reference or a description: code, an algorithm, a measure, the name of a variable. */
export function isReference(value: string): boolean {
  return (
    /\s/.test(value) ||
    code.test(value) ||
    memberAccess.test(value) ||
    algorithm.test(value) ||
    measure.test(value) ||
    /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) ||
    /^\d[\d.,:TZ+-]*$/.test(value)
  )
}

function isInConnectionString({ before, after }: Surroundings): boolean {
  const field =
    /(?:server|data source|host|addr(?:ess)?|user ?id|uid|user(?:name)?|initial catalog|database|endpoint)[ \t]?=/i
  return (
    (/;[^;\n]{0,3}(?:password|pwd)[ \t]?=[ \t]?$/i.test(before) && field.test(before)) ||
    (/^;/.test(after) && field.test(after))
  )
}

function trimmed(value: string): string {
  return value.replace(/[.,:;)*_]+$/, "")
}
