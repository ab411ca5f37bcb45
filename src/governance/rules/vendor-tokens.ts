import type { ForbiddenRule } from "../detect-forbidden.ts"
import { isKeyLike, isPlaceholder, isRandom } from "./placeholders.ts"

const alnum = (least: number, most = least) => `[A-Za-z0-9]{${least},${most}}`
const word = (least: number, most = least) => `[A-Za-z0-9_-]{${least},${most}}`
const hex = (least: number, most = least) => `[a-fA-F0-9]{${least},${most}}`
const base64 = (least: number, most: number) => `[A-Za-z0-9+/]{${least},${most}}={0,3}`
const uuid = "[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12}"
const notMore = "(?![A-Za-z0-9])"

/**
 * Tokens recognised by their own shape. One line per kind: name, prefixes (any of them), what follows, and a check where the prefix alone
 * proves little: `isRandom` (not words), `isKeyLike` (can hardly be anything else).
 */
export const vendorTokens: ForbiddenRule[] = [
  // code hosts
  token("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9_.-]{20,600}"),
  token("github-fine-grained-token", "github_pat_", "[A-Za-z0-9_]{20,255}"),
  token(
    "gitlab-token",
    "glpat- glptt- gldt- glrt- glrtr- glcbt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-",
    "[A-Za-z0-9_.-]{20,300}",
  ),
  token("gitlab-runner-registration-token", "GR1348941", word(20)),
  token("bitbucket-token", "ATBB", "[A-Za-z0-9_=-]{24,255}"),
  token("bitbucket-server-token", "BBDC-", base64(40, 60)),
  token("atlassian-token", "ATATT3 ATCTT3 ATSTT3", "[A-Za-z0-9_=-]{50,400}"),
  token("trello-token", "ATTA", `${hex(64, 80)}${notMore}`),
  token("gitea-sourcehut-token", "gitea_ forgejo_ srht_", alnum(32, 80), isRandom),
  token("sourcegraph-token", "sgp_ slk_ sgamp_", "[A-Za-z0-9_]{40,100}"),
  token("gitpod-token", "gitpod_pat_", "[A-Za-z0-9_.-]{20,100}"),

  // chat
  shape("slack-token", "xox xapp- xwfp-", `(?:xox[a-z](?:\\.xox[a-z])?|xapp|xwfp)-[A-Za-z0-9-]{10,255}`, isRandom),
  token("slack-webhook", "hooks.slack.com/", "(?:services|workflows|triggers)/[A-Za-z0-9/+_-]{20,120}"),
  token("discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", `\\d{16,20}/${word(50, 100)}`),
  longShape("discord-bot-token", `[MNO]${word(23, 27)}\\.${word(6, 7)}\\.${word(27, 45)}`, isRandom),
  token("teams-webhook", "webhook.office.com/", "webhookb2/[A-Za-z0-9@/-]{60,250}"),
  shape("telegram-bot-token", ":aa", `\\d{8,10}:AA${word(32, 34)}`),
  token("twitch-token", "oauth:", `[a-z0-9]{30}${notMore}`, isRandom),
  token("zapier-webhook", "hooks.zapier.com/hooks/catch/", "\\d{4,10}/[a-z0-9]{5,10}"),

  // language models and the tools around them
  token("anthropic-key", "sk-ant-", word(20, 255)),
  token("openai-key", "sk-", word(20, 255), isRandom),
  token("openai-session", "sess-", alnum(40, 60), isKeyLike),
  token("key-with-sk", "sk_", "(?:[A-Za-z0-9]{1,12}_)?[A-Za-z0-9]{20,255}", isKeyLike),
  token("hugging-face-token", "hf_ api_org_", alnum(30, 60)),
  token("groq-key", "gsk_", alnum(40, 80)),
  token("xai-key", "xai-", alnum(60, 120)),
  token("perplexity-key", "pplx-", alnum(40, 80)),
  token("replicate-token", "r8_", alnum(30, 60)),
  token("nvidia-key", "nvapi-", word(40, 100)),
  token("tavily-key", "tvly-", "(?:dev-|prod-)?[A-Za-z0-9-]{20,80}", isRandom),
  token("voyage-key", "pa- al-", word(36, 60), isKeyLike),
  token("pinecone-key", "pcsk_", "[A-Za-z0-9_]{40,100}"),
  token("cerebras-key", "csk-", alnum(30, 80), isRandom),
  token("fireworks-key", "fw_ fpk_", alnum(20, 60), isRandom),
  token("jina-key", "jina_", word(40, 100)),
  token("cursor-key", "key_ crsr_", `${hex(48, 140)}${notMore}`),
  token("langsmith-key", "lsv2_ ls__", "(?:pt_|sk_)?[A-Za-z0-9_]{30,80}"),
  token("langfuse-key", "pk-lf- sk-lf-", uuid),
  token("together-key", "tgp_v1_", word(30, 80)),
  token("mistral-deepgram-style-key", "dg_ mst_ cohere_", alnum(32, 64), isKeyLike),
  token("firecrawl-key", "fc-", `${hex(32)}${notMore}`),
  token("llama-cloud-key", "llx-", alnum(40, 80)),
  token("exa-or-e2b-key", "e2b_ exa_", hex(40, 64)),
  token("daytona-key", "dtn_", hex(40, 80)),
  token("mem0-key", "m0-", alnum(30, 60), isKeyLike),
  token("context7-key", "ctx7sk-", "[a-f0-9-]{36}"),
  token("brave-search-key", "BSA", `${word(24, 32)}(?![A-Za-z0-9_-])`, isKeyLike),
  token("runpod-key", "rpa_", alnum(36, 60)),
  token("modal-token", "ak- as-", `${alnum(20, 30)}${notMore}`, isKeyLike),
  token("apify-token", "apify_api_ apify_proxy_", alnum(30, 60)),
  token("browserbase-key", "bb_live_ bb_test_", word(20, 60)),
  token("weights-and-biases-key", "wandb_v1_", "[A-Za-z0-9_]{40,120}"),
  token("stability-or-luma-key", "luma- bfl_ flp_ rf_ up_ pb_ fal_", word(32, 90), isKeyLike),
  token("logfire-token", "pylf_v", "\\d_[a-z]{2}_[A-Za-z0-9]{30,80}"),
  longShape("zep-key", "z_[A-Za-z0-9._-]{60,300}", isKeyLike),

  // clouds
  shape("aws-access-key-id", "akia asia abia acca", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}", isAwsKey),
  token("aws-bedrock-key", "ABSK bedrock-api-key-", base64(40, 400), isRandom),
  token("aws-session-token", "IQoJb3JpZ2lu FwoGZXIvYXdz FQoGZXIvYXdz", base64(60, 2000)),
  token("aws-mws-token", "amzn.mws.", uuid),
  token("aws-appsync-key", "da2-", `[a-z0-9]{26}${notMore}`, isRandom),
  token("google-api-key", "AIza", word(35)),
  token("google-gemini-key", "AQ.", word(30, 200), isRandom),
  token("google-oauth-secret", "GOCSPX-", word(24, 40)),
  token("google-oauth-token", "ya29.", word(20, 400)),
  token("google-refresh-token", "1//0", word(30, 200), isRandom),
  token("google-authorization-code", "4/0A", word(30, 200), isRandom),
  token("google-hmac-key", "GOOG1E GOOG4 GOOG", `[A-Z0-9]{18,60}${notMore}`, isRandom),
  shape(
    "azure-client-secret",
    "0q~ 1q~ 2q~ 3q~ 4q~ 5q~ 6q~ 7q~ 8q~ 9q~",
    "[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}",
  ),
  shape("azure-devops-token", "azdo", `[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}${notMore}`, isRandom),
  shape(
    "azure-marked-key",
    "jqqj9 +ast azfu azse azca +acr +aeh +asb +amc aiot acdb apim",
    `[A-Za-z0-9+/]{33,90}(?:JQQJ9[9D]|\\+ASt|AzFu|AzSe|AzCa|\\+ACR|\\+AEh|\\+ASb|\\+AMC|AIoT|ACDb|APIM)[A-Za-z0-9+/]{1,40}={0,2}`,
    isRandom,
  ),
  token("alibaba-access-key", "LTAI", `${alnum(16, 24)}${notMore}`, isRandom),
  token("tencent-secret-id", "AKID", `${alnum(32, 36)}${notMore}`, isRandom),
  token("yandex-key", "AQVN YCA t1. y0_", "[A-Za-z0-9_.=-]{35,200}", isKeyLike),
  token("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", hex(64)),
  token("digitalocean-spaces-key", "DO00", `[A-Z0-9]{16}${notMore}`, isRandom),
  token("heroku-key", "HRKU-", word(30, 80)),
  token("fly-token", "fm1a_ fm1r_ fm2_ fo1_", "[A-Za-z0-9+/=_-]{40,500}"),
  token("vercel-token", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", "[A-Za-z0-9_]{24,100}", isRandom),
  token("netlify-token", "nfp_ nfc_ nfo_ nfu_ nfb_", alnum(36, 60)),
  shape("cloudflare-origin-key", "v1.0-", "v1\\.0-[a-f0-9]{24}-[a-f0-9]{100,200}"),
  token("cloudflare-token", "cfut_ cfat_ cfk_", alnum(36, 80)),
  token("render-key", "rnd_", alnum(20, 60), isRandom),
  token("railway-or-koyeb-token", "rw_Fe26. koyeb_", "[A-Za-z0-9*._-]{40,400}"),
  token("scaleway-key", "SCW", `[A-Z0-9]{17}${notMore}`, isRandom),
  token("scalingo-token", "tk-us-", word(48)),
  token("upcloud-token", "ucat_", alnum(20, 60)),
  token("openshift-token", "sha256~", word(43)),
  token("kubeconfig-token", "kubeconfig-u-", "[a-z0-9]{5,12}:[a-z0-9]{40,60}"),

  // databases and data
  token("neon-key", "napi_", "[A-Za-z0-9_]{30,100}"),
  token("supabase-token", "sbp_ sb_secret_ sbp_v0_", "[A-Za-z0-9_-]{20,80}", isRandom),
  token("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "[A-Za-z0-9_.=-]{30,80}"),
  token("databricks-token", "dapi dose dkea", `${hex(32)}(?:-\\d)?${notMore}`),
  token("mongodb-atlas-secret", "mdb_sa_sk_", word(30, 60)),
  token("cockroach-key", "CCDB1_", "[A-Za-z0-9_]{40,90}"),
  token("aiven-password", "AVNS_", word(15, 40)),
  token("clickhouse-secret", "4b1d", `${alnum(38)}${notMore}`, isKeyLike),
  token("confluent-secret", "cflt", "[A-Za-z0-9+/]{56,64}", isRandom),
  token("xata-key", "xau_", alnum(30, 60)),
  token("dbt-token", "dbtc_ dbtu_ dbts_", word(30, 80)),
  token("snowflake-token", "ver:1-hint:", "\\d{4,20}-ETMsDgAA[A-Za-z0-9+/=]{40,400}"),

  // infrastructure
  token("vault-token", "hvs. hvb. hvr.", word(20, 400)),
  longShape("vault-service-token", `s\\.${alnum(24)}${notMore}`, isKeyLike),
  shape("terraform-token", ".atlasv1.", `[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}`),
  token("pulumi-token", "pul-", hex(40)),
  token(
    "doppler-token",
    "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
    "(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}",
  ),
  token("onepassword-token", "ops_eyJ", "[A-Za-z0-9+/=_-]{60,1500}"),
  token(
    "onepassword-secret-key",
    "A3-",
    "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    isRandom,
  ),
  token("infisical-token", "st.", "[a-f0-9-]{24,36}\\.[a-f0-9]{32,64}\\.[a-f0-9]{32,64}"),
  token("tailscale-key", "tskey-", "[a-z]{3,12}-[A-Za-z0-9]{8,40}(?:-[A-Za-z0-9]{8,60})?", isRandom),
  longShape("ngrok-token", `2[A-Za-z0-9]{25,28}_[A-Za-z0-9]{20,24}${notMore}`, isKeyLike),
  token("ngrok-key", "cr_ ngrok_", alnum(26, 60), isKeyLike),
  token("infracost-key", "ico-", alnum(32), isRandom),
  token("defined-networking-key", "dnkey-", "[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
  token("akamai-token", "akab-", "[A-Za-z0-9-]{16,40}", isRandom),
  token("harness-token", "pat. sat.", `${word(22)}\\.${alnum(24)}\\.${alnum(20)}`),

  // packages and builds
  token("npm-token", "npm_", alnum(30, 60)),
  token("pypi-token", "pypi-", word(50, 1000), isRandom),
  token("rubygems-key", "rubygems_", hex(40, 64)),
  token("nuget-key", "oy2", `[a-z0-9]{43}${notMore}`, isRandom),
  token("crates-token", "cio", `${alnum(32)}${notMore}`, isRandom),
  token("docker-token", "dckr_pat_ dckr_oat_", word(24, 60)),
  token("clojars-token", "CLOJARS_", alnum(60)),
  token("artifactory-key", "AKCp cmVmd", alnum(55, 80)),
  token("circleci-token", "CCIPAT_ CCIPRJ_", "[A-Za-z0-9_]{20,100}"),
  token("buildkite-token", "bkua_ bkct_ bkpt_ bkat_", alnum(40, 80)),
  token("sonar-token", "squ_ sqp_ sqa_", hex(40)),
  token("octopus-key", "API-", `[A-Z0-9]{25,32}${notMore}`, isRandom),
  token("chromatic-or-codecov-token", "chpt_ cypress_", alnum(12, 40), isRandom),
  token("readme-key", "rdme_", "[a-z0-9]{60,80}"),
  token("prefect-key", "pnu_ pnb_", alnum(36)),
  token(
    "trigger-or-inngest-key",
    "tr_dev_ tr_prod_ signkey-prod- signkey-test- signkey-",
    "[A-Za-z0-9-]{20,80}",
    isRandom,
  ),

  // payments
  shape(
    "stripe-key",
    "k_live_ k_test_ k_prod_ k_org_",
    "[srp]k_(?:org_)?(?:(?:live|test|prod)_)?[A-Za-z0-9_]{16,255}",
    isRandom,
  ),
  token("stripe-webhook-secret", "whsec_", "[A-Za-z0-9+/=]{20,100}"),
  token("square-token", "sq0atp- sq0csp- sq0idp-", word(22, 60)),
  token("square-access-token", "EAAA", `${word(56, 62)}(?![A-Za-z0-9_-])`),
  token("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", hex(32)),
  token("paypal-braintree-token", "access_token$", "(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}"),
  token("plaid-token", "access-", `(?:sandbox|development|production)-${uuid}`),
  token("paddle-key", "pdl_live_ pdl_sdbx_", "[A-Za-z0-9_]{30,100}"),
  token("razorpay-key", "rzp_live_ rzp_test_", alnum(14, 40)),
  token("payment-key", "polar_oat_ polar_pat_ creem_ xnd_ live_ test_", `${alnum(28, 80)}${notMore}`, isKeyLike),
  token("flutterwave-key", "FLWSECK_TEST- FLWSECK-", "[A-Za-z0-9]{12,40}(?:-X)?"),
  token("shipping-key", "EZAK EZTK", alnum(54)),
  token("shippo-or-duffel-key", "shippo_live_ shippo_test_ duffel_live_ duffel_test_", "[A-Za-z0-9_=-]{40,50}"),

  // mail and messages
  longShape("twilio-key", `(?:SK|AC)[a-f0-9]{32}${notMore}`, notSample),
  token("sendgrid-key", "SG.", `${word(16, 32)}\\.${word(32, 64)}`),
  token("mailgun-key", "key- pubkey-", `[a-f0-9]{32}${notMore}`),
  longShape("mailgun-signing-key", `[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}${notMore}`, notSample),
  shape("mailchimp-key", "-us", `[a-f0-9]{32}-us\\d{1,2}${notMore}`),
  token("brevo-key", "xkeysib- xsmtpsib-", `${hex(64)}-${alnum(16)}`),
  token("resend-key", "re_", "[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,40}", isRandom),
  token("resend-old-key", "re_", alnum(24, 40), isKeyLike),
  token("onesignal-key", "os_v2_app_ os_v2_org_", "[a-z0-9]{60,120}"),
  token("telnyx-key", "KEY0", "[A-F0-9]{30,34}_[A-Za-z0-9]{20,24}"),
  token("hubspot-token", "pat-na1- pat-eu1- pat-na2- pat-na3- pat-ap1-", uuid),
  token("hookdeck-or-svix-key", "testsk_ livesk_", "[A-Za-z0-9._]{30,80}"),

  // work and content
  token("linear-key", "lin_api_ lin_oauth_ lin_wh_", alnum(30, 80)),
  token("notion-token", "ntn_", alnum(40, 60)),
  token("notion-integration-secret", "secret_", `${alnum(43)}${notMore}`, isRandom),
  token("figma-token", "figd_ figu_ figo_ figur_ figor_ figuh_", word(30, 80)),
  token("airtable-token", "pat", `${alnum(14)}\\.[a-f0-9]{64}`),
  shape(
    "asana-token",
    "1/1 1/2 1/3 1/4 1/5 1/6 1/7 1/8 1/9 2/1 2/2 2/3 2/4 2/5 2/6 2/7 2/8 2/9",
    `[12]/\\d{13,20}(?:/\\d{13,20})?:[a-f0-9]{32}${notMore}`,
  ),
  token("clickup-token", "pk_", `\\d{5,12}_[A-Z0-9]{32}${notMore}`),
  token("postman-key", "PMAK- PMAT-", "[A-Za-z0-9]{24,30}(?:-[a-f0-9]{34})?", isRandom),
  token("contentful-token", "CFPAT-", word(40, 50)),
  token("typeform-token", "tfp_", "[A-Za-z0-9_.=-]{40,70}"),
  token("calendar-key", "cal_live_ cal_test_", hex(32)),
  token("frameio-token", "fio-u-", "[A-Za-z0-9_=-]{64}"),
  token("adobe-secret", "p8e- p8-", `${word(32)}(?![A-Za-z0-9_-])`, isKeyLike),
  token("dropbox-token", "sl.", "(?:u\\.)?[A-Za-z0-9_-]{60,1500}", isRandom),
  token("mapbox-secret", "sk.eyJ tk.eyJ", "[A-Za-z0-9_-]{40,200}\\.[A-Za-z0-9_-]{20,30}"),
  shape("maxmind-key", "_mmk", "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
  token("woocommerce-key", "ck_ cs_", `${hex(40)}${notMore}`),
  token("linkedin-secret", "WPL_AP", "\\d\\.[A-Za-z0-9+/=.]{16,60}"),
  token("facebook-token", "EAAB EAAC EAAG EAAM EAAJ EAAD", `${alnum(80, 400)}`, isKeyLike),
  token("twitter-bearer-token", "AAAAAAAAAAAAAAAAAAAAA", "[A-Za-z0-9%]{60,120}", (value) => /[b-z]/.test(value)),
  token("firebase-server-key", "AAAA", `${word(7)}:${word(120, 180)}`),
  token("pubnub-secret", "sec-c-", "[A-Za-z0-9-]{36,60}"),
  token("alchemy-key", "alcht_ alch_", alnum(28, 40)),
  token("unkey-or-clerk-key", "unkey_", alnum(20, 40), isKeyLike),

  // observation
  token("new-relic-key", "NRAK- NRAA- NRII- NRJS- NRIQ- NRAL- NRRA-", word(19, 60)),
  token("grafana-service-token", "glsa_", "[A-Za-z0-9]{32}_[a-fA-F0-9]{8}"),
  token("grafana-cloud-token", "glc_", "[A-Za-z0-9+/=]{32,400}"),
  token("grafana-key", "eyJrIjoi", `${alnum(60, 400)}={0,2}`),
  token("sentry-token", "sntrys_ sntryu_ sntrya_", "[A-Za-z0-9+/=_-]{40,400}"),
  token("posthog-key", "phx_ phs_ pha_ phr_", alnum(30, 80)),
  token("honeycomb-key", "hcaik_ hcamk_ hcxik_ hcxlk_", "[A-Za-z0-9]{30,70}"),
  token("axiom-token", "xaat- xapt-", uuid),
  token("dynatrace-token", "dt0c01. dt0s01. dt0s02. dt0s16.", "[A-Z0-9]{6,24}\\.[A-Z0-9]{64}"),
  token("datadog-token", "ddpat_ ddapp_ ddsat_", "[A-Za-z0-9_]{30,90}"),
  token("launchdarkly-key", "sdk- api-", uuid),
  token("statsig-or-stytch-secret", "secret-live- secret-test- secret-", `${alnum(32, 60)}=?`, isKeyLike),

  // Anything else that looks like a prefix and a random rest, unless the prefix is known for ids.
  longShape(
    "unknown-vendor-token",
    `[A-Za-z][A-Za-z0-9]{1,11}[_-](?:[A-Za-z0-9]{1,8}[_-]){0,3}[A-Za-z0-9]{28,200}(?![A-Za-z0-9_/+=-])`,
    (value) =>
      isKeyLike(value.slice(value.search(/[A-Za-z0-9]+$/))) &&
      /[A-Z]/.test(value) &&
      /[a-z]/.test(value) &&
      !namesThing.test(value),
  ),
]

/** Ids of messages, calls, events and objects, and checksums: long and random, but no key opens anything with them. */
const namesThing =
  /^(?:msg|toolu|tool|call|chatcmpl|cmpl|resp|rs|fc|run|step|thread|asst|req|request|file|item|sess|session|ses|prt|part|evt|event|conv|gen|batch|ft|vs|ws|ctc|srvtoolu|container|job|task|agent|user|usr|org|proj|project|team|acct|cus|sub|price|prod|plan|pi|pm|seti|ch|cs|txn|in|ii|il|si|py|po|dp|src|card|inv|prod|sha\d*|md5|integrity|commit|rev|hash|digest|checksum|chunk|index|main|vendor|bundle|build|image|img|id|uid|key-id|trace|span|etag|nonce|blob|tree|fp|pk|pub|public)[_-]/i

/** Beginnings that are rare enough to be looked for backwards too. */
export const reversedBeginnings = vendorTokens.flatMap(({ beginnings }) =>
  (beginnings ?? []).filter((text) => text.length >= 3).map((text) => [...text.toLowerCase()].reverse().join("")),
)

function token(rule: string, beginnings: string, rest: string, isForbidden = notSample): ForbiddenRule {
  const list = beginnings.split(" ")
  const either = `(?:${list.map((text) => text.replace(/[.$/*+?^|()[\]{}\\]/g, "\\$&")).join("|")})`
  // Behind the beginning, so that the search for it stays a search for plain text. A word may be glued to the front.
  const alone = `(?<=(?:^|[^A-Za-z0-9]|\\\\[nrt]|(?<![A-Za-z0-9_-])[A-Za-z]{1,24})${either})`
  const pattern = new RegExp(either + alone + rest, "gm")
  return { rule, reason: "access token", hints: list, beginnings: list, pattern, isForbidden }
}

/** A token without a known prefix. */
function shape(rule: string, hints: string, pattern: string, isForbidden = notSample): ForbiddenRule {
  const alone = new RegExp(`(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))${pattern}`, "g")
  return { rule, reason: "access token", hints: hints.split(" "), pattern: alone, isForbidden }
}

/** One without any word to look for: tried where there is a long run of a token's characters. */
function longShape(rule: string, pattern: string, isForbidden: (value: string) => boolean): ForbiddenRule {
  return { ...shape(rule, "none", pattern, isForbidden), hints: [], longRun: 26 }
}

function notSample(value: string): boolean {
  return !isPlaceholder(value)
}

/** Amazon's documentation ends its sample ids with EXAMPLE. */
function isAwsKey(value: string): boolean {
  return !/EXAMPLE/.test(value) && !isPlaceholder(value)
}
