const hour = 3_600_000
const lengthOfUnit = { h: hour, d: 24 * hour, w: 7 * 24 * hour, m: 30 * 24 * hour } as const

/** Reads `24h`, `7d`, `2w` or `3m` (a month is 30 days) as milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,6})([hdwm])$/i.exec(text.trim())
  if (!match) return undefined
  const amount = Number(match[1])
  return amount > 0 ? amount * lengthOfUnit[(match[2] ?? "").toLowerCase() as keyof typeof lengthOfUnit] : undefined
}
