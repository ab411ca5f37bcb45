import { isPassword } from "./assignment-rules.ts"
import type { Rule } from "./detect-forbidden.ts"
import { isPlaceholder } from "./placeholder.ts"

const value = "[\"']?((?<=\")[^\"\\n]{3,128}|(?<=')[^'\\n]{3,128}|[^\\s\"'`|;&)]{3,128})"
const near = "[^\\n|;&]{0,200}?[ \\t]"

/** Passwords on command lines and in statements of databases. The option says what it is, so that any word counts. */
export const commandRules: Rule[] = [
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

function command(rule: string, hints: string, pattern: string, check = isGiven): Rule {
  return {
    rule,
    reason: "credential-like assignment",
    hints: hints.split(" ").map((hint) => hint.replace("+", " ")),
    pattern: new RegExp(pattern, "gi"),
    isForbidden: check,
  }
}

/** Whether a value is given rather than asked for: no variable, no file, none of the words that stand for a password. */
function isGiven(raw: string): boolean {
  return (
    !isPlaceholder(raw) &&
    !/^[-/.~@<>$%({[]|^(?:pass(?:word)?|passwd|secret|token|pwd|user(?:name)?|stdin|prompt|file|env|string|true|false|null|none|yes|no|is|and|or|to|for|the|from|with|in|on)$|^\W+$/i.test(
      raw,
    )
  )
}
