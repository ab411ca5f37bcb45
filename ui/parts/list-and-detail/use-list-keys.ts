import { useEffect } from "react"
import { useKeys } from "../use-keys.ts"

/** j and k open the next and the previous of a list; its row, the one with this `data-row`, is kept in sight. */
export function useListKeys(ids: readonly string[], shown: string | null, open: (id: string) => void): void {
  const step = (by: 1 | -1) => {
    const at = shown === null ? -1 : ids.indexOf(shown)
    const next = ids[Math.max(0, Math.min(ids.length - 1, at + by))]
    if (next !== undefined) open(next)
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
  useEffect(() => {
    if (shown === null) return
    document.querySelector(`[data-row="${CSS.escape(shown)}"]`)?.scrollIntoView({ block: "nearest" })
  }, [shown])
}
