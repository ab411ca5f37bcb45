import { type ReactNode, useEffect, useRef } from "react"
import { useLocation } from "wouter"

/** Where the page is. Another page begins at its top and has the focus, as if the browser had loaded it. */
export function MainPart({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  const main = useRef<HTMLElement>(null)
  const known = useRef(path)
  useEffect(() => {
    if (known.current === path) return
    known.current = path
    main.current?.focus({ preventScroll: true })
    main.current?.scrollTo(0, 0)
  }, [path])
  return (
    <main id="main" tabIndex={-1} ref={main}>
      {children}
    </main>
  )
}
