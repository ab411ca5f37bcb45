import { detectForbidden } from "./detect-forbidden.ts"

/** A word of the caller's as a message or a log may repeat it. */
export function withhold(text: string): string {
  return detectForbidden(text).length > 0 ? "[withheld]" : text
}
