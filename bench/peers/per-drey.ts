/** How many times Drey's figure this is. */
export function perDrey(value: number, own: number | undefined): string {
  if (own === undefined || own === 0) return ""
  const ratio = value / own
  return `× ${ratio.toFixed(ratio < 10 ? 2 : 0)}`
}
