import type { ForbiddenReason } from "../src/governance/detect-forbidden.ts"
import { seeded } from "./seeded.ts"

// Every secret here is made when the test runs, so that no scanner finds one in this repository.
const random = seeded(20260215)
export const alnum = (length: number) => pick("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", length)
export const upper = (length: number) => pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", length)
export const lower = (length: number) => pick("abcdefghijklmnopqrstuvwxyz0123456789", length)
export const hex = (length: number) => pick("0123456789abcdef", length)
export const digits = (length: number) => pick("123456789", length)
export const base64 = (length: number) =>
  pick("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", length)
export const uuid = () => [hex(8), hex(4), hex(4), hex(4), hex(12)].join("-")
const pem = (kind: string) =>
  `-----BEGIN ${kind}-----\n${base64(64)}\n${base64(64)}\n${base64(40)}==\n-----END ${kind}-----`
export const jwt = () => ["ey" + "JhbGciOiJIUzI1NiJ9", `ey${"J"}${alnum(40)}`, alnum(43)].join(".")

type Canary = () => string
export const canaries: Record<Exclude<ForbiddenReason, "transient CI/PR status">, Record<string, Canary>> = {
  "private key material": {
    "RSA key": () => pem("RSA PRIVATE KEY"),
    "PKCS8 key": () => pem("PRIVATE KEY"),
    "encrypted key": () => pem("ENCRYPTED PRIVATE KEY"),
    "EC key": () => pem("EC PRIVATE KEY"),
    "OpenSSH key": () => pem("OPENSSH PRIVATE KEY"),
    "PGP key": () => pem("PGP PRIVATE KEY BLOCK"),
    "key cut off": () => pem("RSA PRIVATE KEY").slice(0, 120),
    "Google service account": () => JSON.stringify({ type: "service_account", private_key: pem("PRIVATE KEY") }),
    "age key": () => `AGE-SECRET-${"KEY"}-1${upper(58)}`,
  },
  "access token": {
    "GitHub ghp": () => `gh${"p_"}${alnum(36)}`,
    "GitHub gho": () => `gh${"o_"}${alnum(36)}`,
    "GitHub ghu": () => `gh${"u_"}${alnum(36)}`,
    "GitHub ghs": () => `gh${"s_"}${alnum(36)}`,
    "GitHub ghr": () => `gh${"r_"}${alnum(36)}`,
    "GitHub fine-grained": () => `github_${"pat_"}${alnum(22)}_${alnum(59)}`,
    "GitLab personal": () => `gl${"pat-"}${alnum(20)}`,
    "GitLab runner": () => `gl${"rt-"}${alnum(20)}`,
    "Slack bot": () => `xo${"xb-"}${digits(12)}-${digits(12)}-${alnum(24)}`,
    "Slack user": () => `xo${"xp-"}${digits(12)}-${digits(12)}-${hex(32)}`,
    "Slack app": () => `xa${"pp-"}1-${upper(11)}-${digits(13)}-${hex(64)}`,
    "Slack webhook": () => `https://hooks.${"slack"}.com/services/T${upper(8)}/B${upper(8)}/${alnum(24)}`,
    "Discord webhook": () => `https://discord.com/api/${"webhooks"}/${digits(18)}/${alnum(68)}`,
    "Discord bot": () => `M${alnum(23)}.${alnum(6)}.${alnum(27)}`,
    Telegram: () => `${digits(9)}:${"AA"}${alnum(33)}`,
    OpenAI: () => `s${"k-"}${alnum(48)}`,
    "OpenAI project": () => `s${"k-"}proj-${alnum(60)}`,
    "OpenAI service account": () => `s${"k-"}svcacct-${alnum(60)}`,
    Anthropic: () => `s${"k-"}ant-api03-${alnum(93)}AA`,
    "Hugging Face": () => `h${"f_"}${alnum(34)}`,
    Groq: () => `gs${"k_"}${alnum(52)}`,
    "AWS key id": () => `AK${"IA"}${upper(16)}`,
    "AWS session key id": () => `AS${"IA"}${upper(16)}`,
    "AWS secret": () => `aws_secret_access_key = ${base64(38)}7Q`,
    "Google API": () => `AI${"za"}${alnum(35)}`,
    "Google OAuth secret": () => `GOC${"SPX-"}${alnum(28)}`,
    npm: () => `np${"m_"}${alnum(36)}`,
    PyPI: () => `py${"pi-"}AgEIcHlwaS5vcmc${alnum(120)}`,
    RubyGems: () => `rubygems${"_"}${hex(48)}`,
    NuGet: () => `oy${"2"}${lower(43)}`,
    Docker: () => `dckr${"_pat_"}${alnum(27)}`,
    Stripe: () => `s${"k_live_"}${alnum(24)}`,
    "Stripe restricted": () => `r${"k_live_"}${alnum(24)}`,
    "Stripe webhook": () => `wh${"sec_"}${alnum(32)}`,
    "Twilio key": () => `S${"K"}${hex(32)}`,
    "Twilio account": () => `A${"C"}${hex(32)}`,
    SendGrid: () => `S${"G."}${alnum(22)}.${alnum(43)}`,
    Mailgun: () => `ke${"y-"}${hex(32)}`,
    Mailchimp: () => `${hex(32)}-${"us"}12`,
    DigitalOcean: () => `do${"p_v1_"}${hex(64)}`,
    Heroku: () => `HEROKU_API_KEY=${uuid()}`,
    "Heroku platform": () => `HR${"KU-"}${alnum(60)}`,
    Databricks: () => `da${"pi"}${hex(32)}`,
    Shopify: () => `shp${"at_"}${hex(32)}`,
    Square: () => `sq0${"atp-"}${alnum(22)}`,
    Linear: () => `lin${"_api_"}${alnum(40)}`,
    Notion: () => `nt${"n_"}${alnum(46)}`,
    "Notion integration": () => `secre${"t_"}${alnum(43)}`,
    Figma: () => `fig${"d_"}${alnum(40)}`,
    Atlassian: () => `ATA${"TT3"}${alnum(180)}=${hex(8)}`,
    Vault: () => `hv${"s."}${alnum(90)}`,
    Terraform: () => `${alnum(14)}.atlas${"v1."}${alnum(67)}`,
    Doppler: () => `dp${".pt."}${alnum(43)}`,
    Postman: () => `PM${"AK-"}${hex(24)}-${hex(34)}`,
    "New Relic": () => `NR${"AK-"}${upper(27)}`,
    Grafana: () => `gl${"sa_"}${alnum(32)}_${hex(8)}`,
    Sentry: () => `sntr${"ys_"}${base64(100)}`,
    PlanetScale: () => `psca${"le_tkn_"}${alnum(43)}`,
    Supabase: () => `sb${"p_"}${hex(40)}`,
    Cloudflare: () => `CLOUDFLARE_API_TOKEN=${alnum(40)}`,
    Vercel: () => `VERCEL_TOKEN=${alnum(24)}`,
    Fly: () => `Fly${"V1"} fm2${"_"}${base64(120)}`,
    "Azure client secret": () => `${alnum(3)}8${"Q~"}${alnum(34)}`,
    Tailscale: () => `ts${"key-"}auth-${alnum(12)}-${alnum(32)}`,
    JWT: jwt,
    "JWT behind a written-out line break": () => `"log\\n${jwt()}"`,
    Bearer: () => `Authorization: Bea${"rer"} ${alnum(32)}`,
    "Basic auth": () => `Authorization: Bas${"ic"} ${Buffer.from(`admin:${alnum(12)}`).toString("base64")}`,
    "token behind a written-out line break": () => `"log\\ngh${"p_"}${alnum(36)}"`,
  },
  "credential-like assignment": {
    "env password": () => `DB_PASSWORD=${alnum(6)}4x${alnum(4)}`,
    "yaml password": () => `password: hunter${digits(1)}extra`,
    "password with brackets": () => `password="x${digits(1)}}Kp(${digits(2)}m]Q"`,
    "json key": () => `{"api_key": "${alnum(10)}7${alnum(10)}"}`,
    "code secret": () => `const clientSecret = '${alnum(12)}9${alnum(12)}'`,
    "bold label": () => `**Password:** Squad!${digits(4)}`,
    "words joined by hyphens": () => "password=super-secret-value",
    prose: () => `the password is hunter${digits(1)}`,
    "prose about a place": () => `The password for the staging database is Tr0ub4dor&${digits(1)}`,
    "token in prose": () => `our api key is ${hex(32)}`,
    "command flag": () => `mysql --password hunter${digits(3)}`,
    element: () => `<password>hunter${digits(3)}</password>`,
    "curl user": () => `curl -s -u admin:hunter${digits(3)} https://ci.local`,
  },
  "connection string secret": {
    postgres: () => `postgres://app:${alnum(12)}@db/app`,
    "mongodb+srv": () => `mongodb+srv://app:${alnum(12)}@cluster0.mongodb.net`,
    redis: () => `redis://:${alnum(12)}@cache:6379`,
    amqp: () => `amqp://guest:guest@rabbit:5672`,
    https: () => `https://user:pw@host`,
    "storage account": () => `DefaultEndpointsProtocol=https;AccountName=a;Account${"Key="}${base64(86)}==`,
    "service bus": () => `Endpoint=sb://a.net/;SharedAccessKeyName=Root;SharedAccess${"Key="}${base64(43)}=`,
    "SAS url": () => `https://a.blob.core.windows.net/c?sv=2024-01-01&si${"g="}${alnum(43)}%3D`,
    "ADO.NET": () => `Server=tcp:db,1433;Database=app;User Id=sa;Pass${"word="}${alnum(8)};Encrypt=True`,
    JDBC: () => `Host=db;Username=app;P${"wd="}${lower(6)}`,
  },
  "PII-like identifier": {
    SSN: () => `Her SSN is ${pick("12345678", 3)}-4${digits(1)}-${digits(4)}`,
    "SSN of an employee": () => `employee record ${pick("12345678", 3)}-4${digits(1)}-${digits(4)}`,
    card: () => `card number ${["4539", "5787", "6362", "1486"].join(" ")}`,
  },
  "internal network topology": {
    host: () => `Test server reachable at 192.168.${digits(1)}.${digits(2)}`,
    subnet: () => `10.${digits(2)}.0.0/16 holds the workers`,
    url: () => `http://172.16.${digits(1)}.${digits(2)}:8080/health`,
  },
  "raw diagnostic payload": {
    "JavaScript stack": () => lines(6, () => `    at ${alnum(6)} (/app/src/${alnum(5)}.js:${digits(2)}:${digits(1)})`),
    "stack in JSON": () =>
      JSON.stringify({ stack: lines(6, () => `    at ${alnum(6)} (/app/${alnum(5)}.js:${digits(2)}:5)`) }),
    ".NET stack": () => lines(6, () => `   at App.${alnum(6)}.Run(String name) in C:\\src\\App.cs:line ${digits(2)}`),
    "Java stack": () => lines(6, () => `\tat com.acme.${alnum(6)}.run(App.java:${digits(2)})`),
    "Python traceback": () => lines(5, () => `  File "/app/${lower(5)}.py", line ${digits(2)}, in run\n    run()`),
    "log lines": () => lines(5, () => `2026-02-15 14:32:1${digits(1)} ERROR [main] ${alnum(12)}`),
    "CI log": () => lines(5, () => `2026-02-15T14:32:15.${digits(7)}Z ${alnum(12)} done`),
    "hex dump": () => lines(5, () => `0000${hex(4)}: ${Array.from({ length: 16 }, () => hex(2)).join(" ")}`),
  },
  "private customer data": {
    phrase: () => "Private customer data: Contoso tenant contact and support details.",
    records: () => "Attached are confidential customer records of March",
    PII: () => "the export has customer PII of three tenants",
  },
  "unreviewed vulnerability disclosure": {
    unreviewed: () => "Unreviewed vulnerability in production authentication flow.",
    "zero-day": () => "Suspected zero-day in library X",
    "0-day": () => "a 0-day in the parser",
  },
}

function lines(count: number, make: () => string): string {
  return Array.from({ length: count }, make).join("\n")
}

function pick(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join("")
}
