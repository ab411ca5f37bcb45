import { useSyncExternalStore } from "react"

/** Whether the window is as a media query asks: `useMediaQuery("(width >= 900px)")`. */
export function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (tell) => {
      const list = matchMedia(query)
      list.addEventListener("change", tell)
      return () => list.removeEventListener("change", tell)
    },
    () => matchMedia(query).matches,
  )
}
