import { useEffect, useRef } from "react"

/** Acts on single keys (`"/"`, `"j"`, `"ArrowDown"`) wherever the person is, unless they are writing or a dialog is open. */
export function useKeys(actions: Record<string, (() => void) | undefined>): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return
      const action = latest.current[event.key]
      if (!action) return
      event.preventDefault()
      action()
    }
    addEventListener("keydown", act)
    return () => removeEventListener("keydown", act)
  }, [])
}

const takesKeys = "input, textarea, select, [contenteditable], [role=dialog], [role=menu]"

function isBusy(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(takesKeys) !== null
}
