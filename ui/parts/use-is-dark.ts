import { useSyncExternalStore } from "react"

/** Whether the dark theme is active, for what is drawn on a canvas and must be redrawn when that changes. */
export function useIsDark(): boolean {
  return useSyncExternalStore(listen, () => {
    const chosen = document.documentElement.dataset.theme
    return chosen === undefined ? system.matches : chosen === "dark"
  })
}

const system = matchMedia("(prefers-color-scheme: dark)")

function listen(tell: () => void): () => void {
  const observer = new MutationObserver(tell)
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] })
  system.addEventListener("change", tell)
  return () => {
    observer.disconnect()
    system.removeEventListener("change", tell)
  }
}
