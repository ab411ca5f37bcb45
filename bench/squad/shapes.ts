import { alnum, base64, digits, hex, upper } from "../../test/canaries.ts"
import { hiddenShapes } from "./hidden-shapes.ts"
import { vendorShapes } from "./vendor-shapes.ts"

/** Makes a secret of one shape. Values are made when this runs, so that no scanner finds one in this repository. */
export type Shape = () => string

/** Half of the shapes was used to write the rules; the other half shows how they do on what they were not written for. */
export type Shapes = Record<"tuned" | "heldOut", Record<string, Shape>>

const chosen = () => `${pickWord()}${digits(2)}${pickWord().slice(0, 3).toUpperCase()}!`
const letters = () => `${pickWord()}${pickWord()}`
let turn = 0
const pickWord = () => {
  turn += 7
  return words[turn % words.length] ?? "ferret"
}
const words = [
  "ferret",
  "walnut",
  "bronze",
  "kitten",
  "velvet",
  "marble",
  "pepper",
  "canyon",
  "ribbon",
  "magnet",
  "tunnel",
  "hazard",
  "garlic",
]
const seedWords = (count: number) => Array.from({ length: count }, pickWord).join(" ")
const body = (lines: number) => Array.from({ length: lines }, () => base64(64)).join("\n")
const kind = (name: string) => `${name} PRIV${"ATE KEY"}`

const keyShapes: Shapes = {
  tuned: {
    "PEM without its first line": () => `${body(3)}\n${base64(40)}==\n-----END ${kind("RSA")}-----`,
    "PEM body alone": () => `${body(6)}\n${base64(40)}==`,
    "base64 of a PEM": () =>
      Buffer.from(`-----BEGIN ${kind("EC")}-----\n${body(2)}\n-----END ${kind("EC")}-----\n`).toString("base64"),
    "OpenSSH key": () => `-----BEGIN ${kind("OPENSSH")}-----\n${body(3)}\n-----END ${kind("OPENSSH")}-----`,
    xprv: () => `xp${"rv9s21"}${alnum(105).replace(/[0OIl]/g, "x")}`,
    WIF: () => `K${"x"}${alnum(50).replace(/[0OIl]/g, "y")}`,
    "private key 0x": () => `private key 0x${hex(64)}`,
    "mnemonic with a name": () => `seed phrase: ${seedWords(12)}`,
    "mnemonic alone": () => seedWords(24),
    PuTTY: () => `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n${base64(64)}\n`,
  },
  heldOut: {
    "PEM body in JSON": () => JSON.stringify({ body: `${body(4)}\n` }),
    "PKCS8 body without lines": () => `MIIE${"vQIBADANBgkqhkiG9w0BAQEFAASC"}${base64(400)}`,
    "EC body": () => `MHcC${"AQEEI"}${base64(120)}`,
    "SSH2 key": () =>
      `---- BEGIN SSH2 ENCRYPTED ${kind("").trim()} ----\n${body(2)}\n---- END SSH2 ENCRYPTED ${kind("").trim()} ----`,
    "PGP key": () =>
      `-----BEGIN PGP ${kind("").trim()} BLOCK-----\n\n${body(3)}\n-----END PGP ${kind("").trim()} BLOCK-----`,
    zprv: () => `zp${"rvAWg"}${alnum(106).replace(/[0OIl]/g, "x")}`,
    "old WIF": () => `5${"J"}${alnum(49).replace(/[0OIl]/g, "y")}`,
    "wallet private key": () => `The wallet's private key is ${hex(64)}`,
    "numbered mnemonic": () =>
      `Recovery phrase:\n${seedWords(12)
        .split(" ")
        .map((word, at) => `${at + 1}. ${word}`)
        .join("\n")}`,
    "mnemonic with commas": () => `mnemonic = "${seedWords(12).split(" ").join(", ")}"`,
    "JSON web key": () => JSON.stringify({ kty: "EC", crv: "P-256", d: alnum(43), x: alnum(43) }),
    WireGuard: () => `[Interface]\nPrivateKey = ${base64(43)}=`,
  },
}

const fileShapes: Shapes = {
  tuned: {
    Cookie: () => `Cookie: session=${alnum(40)}; theme=dark`,
    "Set-Cookie": () => `Set-Cookie: sid=${alnum(32)}; Path=/; HttpOnly`,
    netrc: () => `machine api.acme.io login deploy password ${letters()}`,
    "npmrc _auth": () => `_auth=${Buffer.from(`deploy:${letters()}`).toString("base64")}`,
    "npmrc _authToken": () => `//registry.acme.io/:_authToken=${alnum(36)}`,
    "docker auth": () => `{"auths":{"ghcr.io":{"auth":"${Buffer.from(`bot:${alnum(20)}`).toString("base64")}"}}}`,
    "htpasswd apr1": () => `deploy:$apr${"1$"}${alnum(8)}$${alnum(22)}`,
    shadow: () => `root:$6${"$"}${alnum(16)}$${alnum(86)}:19700:0:99999:7:::`,
    psk: () => `network={\n  ssid="office"\n  psk="${letters()}7"\n}`,
    "Basic header": () => `Authorization: Bas${"ic"} ${Buffer.from(`admin:${alnum(12)}`).toString("base64")}`,
    "Bearer header": () => `Authorization: Bea${"rer"} ${alnum(40)}`,
    "postgres URL": () => `postgres://app:${alnum(12)}@db.acme.io/app`,
    "env secret": () => `CLIENT_SECRET=${alnum(30)}`,
    "env pair": () => `BASIC_AUTH=admin:${letters()}`,
    "one-time password": () => `otpauth://totp/x?secret=${upper(32).replace(/[0189]/g, "A")}`,
    SNMP: () => `snmp community string: ${letters()}7`,
    "key in numbers": () => `solana secret key [${Array.from({ length: 64 }, () => digits(2)).join(",")}]`,
    "env cookie": () => `SESSION_COOKIE=${alnum(40)}`,
  },
  heldOut: {
    "Cookie in curl": () => `curl -H 'Cookie: connect.sid=s%3A${alnum(32)}.${alnum(43)}' https://x`,
    "session id": () => `JSESSIONID=${upper(32)}`,
    "netrc over lines": () => `machine github.com\n  login bot\n  password ${letters()}`,
    "npmrc _password": () => `//npm.acme.io/:_password="${Buffer.from(letters()).toString("base64")}"`,
    "htpasswd bcrypt": () => `kim:$2${"y$"}10$${alnum(53)}`,
    "LDAP digest": () => `userPassword: {SS${"HA}"}${base64(32)}`,
    "shadow yescrypt": () => `kim:$y${"$j9T$"}${alnum(22)}$${alnum(43)}:19700:0:99999:7:::`,
    "wifi code": () => `WIFI:S:office;T:WPA;P:${letters()};;`,
    "wpa passphrase": () => `wpa_passphrase=${letters()}5`,
    "API key header": () => `X-Api-Key: ${alnum(32)}`,
    "token header": () => `PRIVATE-TOKEN: ${alnum(24)}`,
    "redis URL": () => `redis://:${alnum(16)}@cache:6379/0`,
    "ADO.NET": () => `Server=db;Database=app;User Id=sa;Pass${"word="}${alnum(10)};`,
    "JDBC URL": () => `jdbc:mysql://db/app?user=app&pass${"word="}${alnum(12)}`,
    "token in a URL": () => `https://api.acme.io/v1?access_token=${alnum(40)}`,
    "env auth": () => `NEO4J_AUTH=neo4j/${alnum(14)}`,
    "env psk": () => `VPN_PSK=${alnum(24)}`,
    "yaml key": () => `  api_key: ${hex(40)}`,
    "kubernetes secret": () => `kind: Secret\ndata:\n  password: ${Buffer.from(`${letters()}9!`).toString("base64")}`,
    "terraform variable": () => `db_password = "${chosen()}"`,
  },
}

const peopleShapes: Shapes = {
  tuned: {
    "pw:": () => `pw: ${chosen()}`,
    "pass:": () => `pass: ${chosen()}`,
    PIN: () => `The PIN is ${digits(4)}.`,
    "with password": () => `Connect with password ${chosen()}`,
    "log in as": () => `log in as admin / ${chosen()}`,
    "admin:": () => `admin:${chosen()}`,
    "in brackets": () => `the root password (${chosen()}) works`,
    "set to": () => `I set the password to "${letters()}"`,
    arrow: () => `password -> ${chosen()}`,
    dash: () => `password — ${chosen()}`,
    "next line": () => `Password:\n${chosen()}`,
    "table cell": () => `| user | password |\n|---|---|\n| kim | ${chosen()} |`,
    "letters only": () => `password: ${letters()}`,
    "letters only in a sentence": () => `The password is ${letters()}.`,
    "phrase of words": () => `passphrase: ${pickWord()} ${pickWord()} ${pickWord()} ${pickWord()}`,
    German: () => `Das Passwort lautet ${chosen()}`,
    "German letters": () => `Passwort: ${letters()}`,
    French: () => `Le mot de passe est ${chosen()}`,
    Spanish: () => `La contraseña es ${chosen()}`,
    Portuguese: () => `A senha é ${chosen()}`,
    Italian: () => `La password è ${chosen()}`,
    "mysql -p": () => `mysql -u root -p${letters()} app`,
    sshpass: () => `sshpass -p ${letters()} ssh host`,
    "into sudo": () => `echo ${letters()} | sudo -S apt update`,
    "curl -u": () => `curl -u deploy:${letters()} https://ci.acme.io`,
    PGPASSWORD: () => `PGPASSWORD=${letters()} psql -h db`,
    "pass is": () => `my pass is ${chosen()}`,
    "weak pair": () => `admin / ${pickWord()}${digits(4)}`,
    "u and p": () => `u: kim p: ${chosen()}`,
    "quoted behind its place": () => `the password to the box "${letters()}"`,
    "phrase in quotes": () => `passphrase "${pickWord()} ${pickWord()} ${pickWord()} ${pickWord()}"`,
    "PIN and comma": () => `my PIN, ${digits(4)}, works`,
    "recovery codes": () => `recovery codes: ${hex(4)}7-${hex(5)} ${hex(5)}-${hex(5)}`,
    "docker login": () => `docker login -u bot -p ${letters()} ghcr.io`,
  },
  heldOut: {
    "pwd =": () => `pwd = ${chosen()}`,
    "pass =": () => `user=kim pass=${chosen()}`,
    "PIN code": () => `PIN code: ${digits(6)}`,
    "using the password": () => `sign in using the password ${chosen()}`,
    "user and pass": () => `username: kim, password: ${chosen()}`,
    "credentials pair": () => `Credentials: kim@acme.io / ${chosen()}`,
    "root slash": () => `root/${chosen()}`,
    "changed to": () => `password was changed to ${chosen()}`,
    "quoted word": () => `the password is "${letters()}"`,
    "in backticks": () => `Use \`${chosen()}\` as the password.`,
    "value first": () => `${chosen()} is the admin password`,
    "fat arrow": () => `password => ${chosen()}`,
    "unicode arrow": () => `password → ${chosen()}`,
    "heading and line": () => `## Password\n\n\`${chosen()}\``,
    "label in a table": () => `| Password | ${chosen()} |`,
    "CSV column": () => `user,password\nkim,${chosen()}`,
    "for the server": () => `password for the staging server: ${letters()}`,
    "hyphenated phrase": () => `password: ${pickWord()}-${pickWord()}-${pickWord()}-${pickWord()}`,
    "phrase in a sentence": () => `The password is ${pickWord()} ${pickWord()} ${pickWord()} ${pickWord()}.`,
    "German sentence": () => `Das Kennwort für den Server ist ${chosen()}.`,
    "German login": () => `Zugangsdaten: admin / ${chosen()}`,
    "French label": () => `mdp : ${chosen()}`,
    "French letters": () => `Mot de passe : ${letters()}`,
    "Spanish label": () => `Contraseña: ${letters()}`,
    "Spanish key": () => `la clave del servidor es ${chosen()}`,
    "Portuguese label": () => `Senha: ${letters()}`,
    "Portuguese sentence": () => `a senha do banco é "${letters()}"`,
    "Italian label": () => `parola d'ordine: ${letters()}`,
    "Italian sentence": () => `la password del server è ${letters()}`,
    Japanese: () => `パスワードは${chosen()}`,
    Chinese: () => `密码是 ${chosen()}`,
    "bold label": () => `**Password:** ${letters()}`,
    "curly quotes": () => `The password is “${chosen()}”`,
    "mysqldump -p": () => `mysqldump -h db -p'${chosen()}' app`,
    "redis-cli -a": () => `redis-cli -h cache -a ${letters()}`,
    "here string": () => `sudo -S apt update <<< "${letters()}"`,
    MYSQL_PWD: () => `MYSQL_PWD=${letters()} mysql`,
    "ldapsearch -w": () => `ldapsearch -D cn=admin -w ${letters()} -b dc=acme`,
    "SQL user": () => `CREATE USER app WITH PASSWORD '${letters()}';`,
    "SQL identified": () => `ALTER USER app IDENTIFIED BY '${letters()}';`,
    "openssl pass": () => `openssl rsa -in key.pem -passin pass:${letters()}`,
    keytool: () => `keytool -list -storepass ${letters()}`,
    "zip -P": () => `zip -P ${letters()} out.zip a.txt`,
    chpasswd: () => `echo "root:${letters()}" | chpasswd`,
    "--password": () => `tool --password ${letters()}`,
    "az login": () => `az login --service-principal -u app -p ${chosen()}`,
    requirepass: () => `requirepass ${letters()}`,
    "wget password": () => `wget --user=kim --password=${letters()} https://x`,
  },
}

export const shapeGroups: Record<string, Shapes> = {
  "vendors' tokens": vendorShapes,
  "keys and wallets": keyShapes,
  "headers and files": fileShapes,
  "what people write": peopleShapes,
  hidden: hiddenShapes,
}
