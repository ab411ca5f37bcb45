import { useEffect, useState } from "react"

const step = 10_000

/** The current time, updated while something is in progress. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), step)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}
