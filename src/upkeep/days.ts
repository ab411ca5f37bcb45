const day = 86_400_000

export function addDays(moment: string, days: number): string {
  return new Date(Date.parse(moment) + days * day).toISOString()
}

export function daysBetween(earlier: string, later: string): number {
  return (Date.parse(later) - Date.parse(earlier)) / day
}
