import { detectForbidden } from "./detect-forbidden.ts"

type Redacted = { text: string; redactions: number }

/** Puts `[email]` and `[phone]` in the place of people's addresses and numbers; machines' addresses stay. */
export function redactPersonalData(text: string): Redacted {
  let redactions = 0
  const put = (mark: string) => {
    redactions++
    return mark
  }
  const withoutEmails = text.includes("@")
    ? text.replace(email, (address: string, at: number) =>
        isPersonalAddress(address, text, at) ? put("[email]") : address,
      )
    : text
  const withoutPhones = withoutEmails.replace(number, (digits: string, at: number) =>
    isPhone(digits, withoutEmails.slice(Math.max(0, at - 40), at)) ? put("[phone]") : digits,
  )
  return { text: withoutPhones, redactions }
}

/** Puts `[redacted]` in the place of secrets. */
export function redactSecrets(text: string): string {
  let redacted = ""
  let at = 0
  for (const { start, end } of detectForbidden(text)) {
    if (end <= at) continue
    redacted += `${text.slice(at, Math.max(at, start))}[redacted]`
    at = end
  }
  return redacted + text.slice(at)
}

const email =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_][\p{L}\p{N}._%+-]{0,63}@[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.[\p{L}\p{N}.-]{0,190}[\p{L}\p{N}]/gu

function isPersonalAddress(address: string, text: string, at: number): boolean {
  const [name = "", domain = ""] = address.split("@")
  if (/^(?:git|no-?reply|do-?not-?reply)$|\bno-?reply\b/i.test(name) || /(?:^|\.)noreply\./i.test(domain)) return false
  if (!/\.\p{L}{2,24}$/u.test(domain) || /^\d+\.\d/.test(domain) || fileName.test(domain)) return false
  const before = text.slice(Math.max(0, at - 130), at)
  const after = text.slice(at + address.length, at + address.length + 100)
  return !/:\/\/[^\s/]{0,120}$/.test(before) && !/^:[\w~.-]{0,60}\/\w/.test(after) // the user of a URL, of an scp path
}

/** `icon@2x.png`, `package@latest.tgz` */
const fileName = /\.(?:png|jpe?g|gif|svg|webp|tgz|gz|js|ts|tsx|mjs|json|html?|css)$/i

const number = /(?<![\p{L}\p{N}_.,:/#=+@$-]|\p{N}[ (])(?:\+\d|\(\d|\d)[\d ().-]{5,20}\d(?![\p{L}\p{N}_:/]|[.,-]\d)/gu

const date = /^\(?(?:19|20)\d\d[ .-]\d\d?[ .-]\d\d?|^\d\d?[ .-]\d\d?[ .-](?:19|20)\d\d/

/** A number is a phone's when it is written internationally, in North American groups, or behind a word that says so. */
function isPhone(written: string, before: string): boolean {
  const digits = written.replace(/\D/g, "").length
  if (digits > 15 || date.test(written)) return false
  if (/^\+[1-9]/.test(written)) return digits >= 9
  if (/^(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d-)\d{3}-\d{4}$/.test(written)) return true
  return (
    digits >= 7 &&
    /\b(?:phone|tel|telephone|telefon|mobile|cell|fax|whatsapp|sms|call (?:me|us|him|her|them))\b[^\d\n]{0,20}$/i.test(
      before,
    )
  )
}
