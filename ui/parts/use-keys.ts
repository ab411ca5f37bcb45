import { useEffect, useRef } from "react"

type Keys = Record<string, (() => void) | undefined>

/**
 * Acts on single keys (`"/"`, `"j"`, `"ArrowDown"`) wherever the person is, unless they are writing or a dialog is open. A key that is
 * held acts again and again, unless it changes something: then once.
 */
export function useKeys(actions: Keys, { whenHeld = true }: { whenHeld?: boolean } = {}): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return
      const action = latest.current[event.key]
      if (!action || (event.repeat && !whenHeld)) return
      event.preventDefault()
      action()
    }
    addEventListener("keydown", act)
    return () => removeEventListener("keydown", act)
  }, [whenHeld])
}

const takesKeys = "input, textarea, select, [contenteditable], [role=dialog], [role=menu]"

function isBusy(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(takesKeys) !== null
}
