import type { Rule } from "./detect-forbidden.ts"
import { isPlaceholder, isRandom } from "./placeholder.ts"

/** Secrets that show by their own shape, whatever stands around them. */
export const secretRules: Rule[] = [
  {
    rule: "pem-private-key",
    reason: "private key material",
    hint: /-----BEGIN/,
    // A header right before a closing quote, a comma or dots is a mention of keys, not a key.
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?!["'`,.…])(?:(?:[^-]|-(?!----)){0,16384}-----END [A-Z0-9 ]{0,40}-----|[A-Za-z0-9+/=\s\\]{0,16384})/g,
  },
  {
    rule: "putty-private-key",
    reason: "private key material",
    hint: /PuTTY-User-Key-File/,
    pattern: /PuTTY-User-Key-File-\d: [\s\S]{0,4096}?Private-Lines: \d+\s[A-Za-z0-9+/=\s]{0,8192}/g,
  },
  privateKey("age-secret-key", /AGE-SECRET-KEY-1/, /[0-9A-Z]{50,64}/),

  token("github-token", /gh[pousr]_/, /[A-Za-z0-9]{20,255}/),
  token("github-fine-grained-token", /github_pat_/, /[A-Za-z0-9_]{20,255}/),
  token("gitlab-token", /gl(?:pat|ptt|dt|rt|cbt|ft|imt|agent|oas|soat|ffct|wt)-/, /[A-Za-z0-9_.-]{20,255}/),
  token("bitbucket-app-password", /ATBB/, /[A-Za-z0-9_=-]{24,255}/),
  token("atlassian-token", /AT(?:ATT|CTT)3/, /[A-Za-z0-9_=-]{50,400}/),
  token("slack-token", /(?:xox[a-z](?:\.xox[a-z])?|xapp)-/, /[A-Za-z0-9-]{10,255}/, isRandom),
  token("slack-webhook", /hooks\.slack\.com\//, /(?:services|workflows|triggers)\/[A-Za-z0-9/+_-]{20,120}/),
  token("discord-webhook", /discord(?:app)?\.com\/api\/webhooks\//, /\d{16,20}\/[A-Za-z0-9_-]{50,100}/),
  token("discord-bot-token", /[MNO][A-Za-z0-9_-]{23,27}\./, /[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}/, isRandom),
  token("teams-webhook", /webhook\.office\.com\//, /webhookb2\/[A-Za-z0-9@/-]{60,250}/),
  token("telegram-bot-token", /\d{8,10}:AA/, /[A-Za-z0-9_-]{32,34}/, isNoPlaceholder, /:AA/),

  token("anthropic-key", /sk-ant-/, /[A-Za-z0-9_-]{20,255}/),
  token("openai-key", /sk-/, /(?:proj-|svcacct-|admin-|None-|or-v1-|lf-)?[A-Za-z0-9_-]{20,255}/, isRandom),
  token("hugging-face-token", /hf_/, /[A-Za-z0-9]{30,60}/),
  token("groq-key", /gsk_/, /[A-Za-z0-9]{40,80}/),
  token("xai-key", /xai-/, /[A-Za-z0-9]{60,120}/),
  token("perplexity-key", /pplx-/, /[A-Za-z0-9]{40,80}/),
  token("replicate-token", /r8_/, /[A-Za-z0-9]{30,60}/),

  token("aws-access-key-id", /(?:AKIA|ASIA|ABIA|ACCA)/, /[A-Z0-9]{16}(?![A-Za-z0-9])/, () => true),
  token("google-api-key", /AIza/, /[A-Za-z0-9_-]{35}/),
  token("google-oauth-secret", /GOCSPX-/, /[A-Za-z0-9_-]{24,40}/),
  token("google-oauth-token", /ya29\./, /[A-Za-z0-9_-]{20,400}/),
  token("azure-client-secret", /[A-Za-z0-9_~.]{3}\dQ~/, /[A-Za-z0-9_~.-]{31,34}/, isNoPlaceholder, /\dQ~/),
  token("alibaba-access-key", /LTAI/, /[A-Za-z0-9]{16,24}(?![A-Za-z0-9])/, isRandom),
  token("digitalocean-token", /do[opr]_v1_/, /[a-f0-9]{64}/),
  token("heroku-key", /HRKU-/, /[A-Za-z0-9_-]{30,80}/),
  token("fly-token", /(?:fm1[ar]|fm2|fo1)_/, /[A-Za-z0-9+/=_-]{40,500}/),
  token("vercel-token", /vc[piark]_/, /[A-Za-z0-9]{24,80}/, isRandom),
  token("netlify-token", /nfp_/, /[A-Za-z0-9]{36,60}/),
  token("cloudflare-origin-key", /v1\.0-[a-f0-9]{24}-/, /[a-f0-9]{100,200}/),
  token("supabase-token", /sb(?:p|_secret)_/, /[A-Za-z0-9_]{20,80}/, isRandom),
  token("planetscale-token", /pscale_/, /(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,80}/),
  token("databricks-token", /dapi/, /[a-f0-9]{32}(?:-\d)?/),
  token("vault-token", /hv[sbr]\./, /[A-Za-z0-9_-]{20,300}/),
  token("terraform-token", /[A-Za-z0-9]{14}\.atlasv1\./, /[A-Za-z0-9_=-]{60,70}/, isNoPlaceholder, /\.atlasv1\./),
  token("pulumi-token", /pul-/, /[a-f0-9]{40}/),
  token("doppler-token", /dp\.(?:pt|st|ct|sa|scim|audit)\./, /(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}/),
  token("onepassword-token", /ops_eyJ/, /[A-Za-z0-9+/=_-]{100,1000}/),
  token("tailscale-key", /tskey-/, /[a-z]{3,12}-[A-Za-z0-9]{8,40}(?:-[A-Za-z0-9]{8,60})?/, isRandom),

  token("npm-token", /npm_/, /[A-Za-z0-9]{30,60}/),
  token("pypi-token", /pypi-/, /[A-Za-z0-9_-]{50,1000}/, isRandom),
  token("rubygems-key", /rubygems_/, /[a-f0-9]{40,64}/),
  token("nuget-key", /oy2/, /[a-z0-9]{43}/),
  token("crates-token", /cio/, /[A-Za-z0-9]{32}(?![A-Za-z0-9])/, isRandom),
  token("docker-token", /dckr_/, /(?:pat|oat)_[A-Za-z0-9_-]{24,60}/),
  token("circleci-token", /CCIPAT_/, /[A-Za-z0-9_]{20,100}/),
  token("buildkite-token", /bk(?:ua|ct|pt|at)_/, /[A-Za-z0-9]{40,80}/),

  token("stripe-key", /[srp]k_(?:live|test)_/, /[A-Za-z0-9]{16,255}/),
  token("stripe-webhook-secret", /whsec_/, /[A-Za-z0-9+/=]{20,100}/),
  token("square-token", /sq0(?:atp|csp|idp)-/, /[A-Za-z0-9_-]{22,60}/),
  token("square-access-token", /EAAA/, /[A-Za-z0-9_-]{56,62}/),
  token("shopify-token", /shp(?:at|ca|pa|ss|ua)_/, /[a-fA-F0-9]{32}/),
  token("twilio-key", /(?:SK|AC)[a-f0-9]{8}/, /[a-f0-9]{24}(?![A-Za-z0-9])/),
  token("sendgrid-key", /SG\./, /[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}/),
  token("mailgun-key", /key-[a-f0-9]{8}/, /[a-f0-9]{24}(?![A-Za-z0-9])/),
  token("mailchimp-key", /[a-f0-9]{32}-us/, /\d{1,2}(?![A-Za-z0-9])/, isNoPlaceholder, /-us\d/),
  token("brevo-key", /xkeysib-/, /[a-f0-9]{64}-[A-Za-z0-9]{16}/),

  token("linear-key", /lin_(?:api|oauth)_/, /[A-Za-z0-9]{30,80}/),
  token("notion-token", /ntn_/, /[A-Za-z0-9]{40,60}/),
  token("notion-integration-secret", /secret_/, /[A-Za-z0-9]{43}(?![A-Za-z0-9])/, isRandom),
  token("figma-token", /fig(?:d|u|o|ur|or|uh)_/, /[A-Za-z0-9_-]{30,80}/),
  token("airtable-token", /pat[A-Za-z0-9]{14}\./, /[a-f0-9]{64}/),
  token("postman-key", /PMAK-/, /[a-f0-9]{24}-[a-f0-9]{34}/),
  token("new-relic-key", /NR(?:AK|AA|II|JS|IQ)-/, /[A-Za-z0-9_-]{19,60}/),
  token("grafana-service-token", /glsa_/, /[A-Za-z0-9]{32}_[a-fA-F0-9]{8}/),
  token("grafana-cloud-token", /glc_/, /[A-Za-z0-9+/=]{32,400}/),
  token("grafana-key", /eyJrIjoi/, /[A-Za-z0-9]{60,400}={0,2}/),
  token("sentry-token", /sntry[su]_/, /[A-Za-z0-9+/=_-]{40,400}/),
  token("sourcegraph-token", /sgp_/, /[A-Za-z0-9_]{40,80}/),
  token("dynatrace-token", /dt0[a-z]\d{2}\./, /[A-Z0-9]{24}\.[A-Z0-9]{64}/),
  token("dropbox-token", /sl\./, /(?:u\.)?[A-Za-z0-9_-]{60,1500}/, isRandom),
  token("artifactory-key", /AKCp/, /[A-Za-z0-9]{60,80}/),

  {
    rule: "json-web-token",
    reason: "access token",
    hint: /eyJ/,
    // Only the first `eyJ` of a run is tried: otherwise a long run of them would be read once for each.
    pattern: /eyJ(?<!(?<!\\)[A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{8,1024}\.[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{10,1024}/g,
  },
  {
    rule: "bearer-token",
    reason: "access token",
    hint: /bearer/i,
    pattern: /\bbearer["']?[ \t:]{1,3}["'`]?([A-Za-z0-9._~+/=-]{20,4096})/gi,
    isForbidden: isRandom,
  },
  {
    rule: "basic-auth-header",
    reason: "access token",
    hint: /basic/i,
    pattern: /authorization["'`]?[ \t]{0,2}[:=,][ \t]{0,2}["'`]?basic[ \t]{1,2}([A-Za-z0-9+/]{8,1024}={0,2})/gi,
  },
  near("aws-secret-key", /aws|secret|AKIA[A-Z0-9]{16}|ASIA[A-Z0-9]{16}/i, /[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/),
  near("cloudflare-token", /cloudflare|CF_API/i, /[A-Za-z0-9_-]{37,40}(?![A-Za-z0-9_-])/),
  near("vercel-access-token", /vercel/i, /[A-Za-z0-9]{24}(?![A-Za-z0-9])/),
  near("heroku-api-key", /heroku/i, /[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}/),
  near("twilio-auth-token", /twilio/i, /[a-f0-9]{32}(?![A-Za-z0-9])/),
  near("discord-token", /discord/i, /[A-Za-z0-9_-]{32}(?![A-Za-z0-9_-])/),
  near("datadog-key", /datadog|DD_(?:API|APP)/i, /[a-f0-9]{32,40}(?![A-Za-z0-9])/),
  near("fly-access-token", /FlyV1/i, /fm\d[a-z]?_[A-Za-z0-9+/=_,-]{20,1000}/),
]

/** A token known by its prefix, or by the hint where the prefix is too common to look for. */
function token(rule: string, prefix: RegExp, body: RegExp, isForbidden = isNoPlaceholder, hint = prefix): Rule {
  const pattern = new RegExp(prefix.source + body.source, "g")
  return { rule, reason: "access token", hint, pattern, standsAlone: true, isForbidden }
}

function privateKey(rule: string, prefix: RegExp, body: RegExp): Rule {
  return { ...token(rule, prefix, body), reason: "private key material" }
}

/** A token without a prefix of its own: only its service's name and a word like "key", before it on the line, give it away. */
function near(rule: string, service: RegExp, shape: RegExp): Rule {
  const named = new RegExp(`(?:${service.source})[^\\n]{0,60}$`, "i")
  const assigned = /(?:key|token|secret|password|auth|bearer)[^\n]{0,30}[:=\s"'`|]$/i
  return {
    rule,
    reason: "access token",
    hint: service,
    pattern: new RegExp(`(?<![A-Za-z0-9])${shape.source}`, "gi"),
    isForbidden: (value, { before }) => isRandom(value) && assigned.test(before) && named.test(before),
  }
}

function isNoPlaceholder(value: string): boolean {
  return !isPlaceholder(value)
}
