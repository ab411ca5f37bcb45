import { relativeTime } from "./relative-time.ts"

/** How long ago; the exact time shows when it is pointed at. */
export function Time({ at }: { at: number | string }) {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <span>{String(at)}</span>
  return (
    <time className="time" dateTime={date.toISOString()} title={exact.format(date)}>
      {relativeTime(date.getTime(), Date.now())}
    </time>
  )
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" })
