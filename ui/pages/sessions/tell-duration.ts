const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** "40 s", "12 min", "3 h 5 min", "2 d 4 h": the two largest units. */
export function tellDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < minute) return `${seconds} s`
  if (seconds < hour) return `${Math.round(seconds / minute)} min`
  if (seconds < day) return joined(seconds, hour, "h", minute, "min")
  return joined(seconds, day, "d", hour, "h")
}

function joined(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % large) / small)
  const first = `${Math.floor(seconds / large)} ${largeName}`
  return rest === 0 ? first : `${first} ${rest} ${smallName}`
}
