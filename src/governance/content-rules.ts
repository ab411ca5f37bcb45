import type { Around, Rule } from "./detect-forbidden.ts"

/** What is no secret but still not for a shared memory: people's numbers, inner networks, customers' data, open holes. */
export const contentRules: Rule[] = [
  {
    rule: "social-security-number",
    reason: "PII-like identifier",
    hints: [],
    pattern: /(?<![\w.-])\d{3}-\d{2}-\d{4}(?![\w-])/gi,
    isForbidden: (_, around) => personal.test(`${around.before} ${around.after}`),
  },
  {
    rule: "payment-card-number",
    reason: "PII-like identifier",
    hints: ["card", "visa", "amex"],
    pattern: /(?<![\w.-])[3-6]\d{3}[ -]?\d{4}[ -]?\d{4}[ -]?\d{3,4}(?![\w-])/gi,
    isForbidden: (value, around) =>
      /card|visa|amex|pan\b/i.test(around.before) && passesLuhn(value) && !isTestCard(value),
  },
  {
    rule: "private-address",
    reason: "internal network topology",
    hints: ["10.", "172.", "192.168."],
    pattern: /(?<![\w.-])(?:10\.\d{1,3}|172\.(?:1[6-9]|2\d|3[01])|192\.168)\.\d{1,3}\.\d{1,3}(?!\w|\.\d)/gi,
    isForbidden: isHostAddress,
  },
  {
    rule: "customer-data",
    reason: "private customer data",
    hints: ["customer"],
    pattern:
      /\b(?:(?:private|confidential|restricted)\s{1,3}customer\s{1,3}(?:data|records?|details|information|info)|customer\s{1,3}(?:pii|personal data|tenant secrets?|production data))\b/gi,
    isForbidden: isNotProhibited,
  },
  {
    rule: "unreviewed-vulnerability",
    reason: "unreviewed vulnerability disclosure",
    hints: ["vulnerabilit", "-day", "0day", "zero day"],
    pattern:
      /\b(?:(?:unreviewed|undisclosed|unpatched|embargoed)\s{1,3}(?:security\s{1,3})?vulnerabilit(?:y|ies)|(?<![\d.,-])(?:0-?day|zero[- ]day)s?(?![-\w])(?!\s(?:old|retention|window|grace|delay|period|wait|interval|streak)))/gi,
    isForbidden: isNotProhibited,
  },
]

const personal =
  /\b(?:ssn|social security|social insurance|tax(?:payer)?[ -]?id|itin|national id|date of birth|dob|born|passport|patient|employee|applicant|customer|resident|member|citizen|her|his|their|mr|mrs|ms)\b/i

/** "Never store private customer data" is a rule worth keeping, not the data. */
function isNotProhibited(_: string, { before }: Around): boolean {
  return !/\b(?:never|not|don't|avoid|forbid|reject|refuse)\b[^.!?]{0,150}$/i.test(before)
}

const version =
  /(?:\bv|version|sdk|aspire|release[sd]?|runtime|package|nuget|net|dotnet|upgrade[sd]?|bump(?:ed)?|assembly|§|@|build)[\w. "'`:=-]{0,24}$/i
const network =
  /\b(?:hosts?|hostname|servers?|subnet|network|gateway|router|vpc|vpn|vnet|ips?|ip address|address|ssh|ping|dns|nodes?|cluster|database|db|firewall|lan|vlan|cidr|internal|proxy|endpoint|listen\w*|bind|broker|machine|vm|reachable|connect\w*|https?|tcp|udp|nas|switch|load balancer)\b/i

/** Four octets are an address when something near them says so, and no word for a version stands right before. */
function isHostAddress(value: string, { before, after }: Around): boolean {
  if (value.split(".").some((octet) => Number(octet) > 255)) return false
  if (value === "10.0.2.2") return false // every Android emulator's name for its host
  if (version.test(before.slice(-40))) return false
  return (
    /^(?:\/\d{1,2}\b|:\d{2,5}\b)/.test(after) ||
    /(?:\/\/|@)$/.test(before) ||
    network.test(`${before.slice(-80)} ${after.slice(0, 60)}`)
  )
}

/** Numbers that payment services publish for tests (Stripe, Adyen, PayPal): they belong to nobody. */
function isTestCard(value: string): boolean {
  const digits = value.replace(/\D/g, "")
  return /^(?:4242|4000|40000|4111111111111111|5555555555554444|5105105105105100|5200828282828210|2223003122003222|3782822463|3714496353|6011111111111117|6011000990139424|6011981111111113|3056930009020004|36227206271667|35660020|6200000000|4012888888881881|4917610000000000|4988438843884305)/.test(
    digits,
  )
}

function passesLuhn(value: string): boolean {
  const digits = value.replace(/\D/g, "").split("").reverse().map(Number)
  const sum = digits.reduce(
    (total, digit, place) => total + (place % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2),
    0,
  )
  return sum % 10 === 0
}
