import { useCallback, useMemo } from "react"
import { navigate, useSearch } from "wouter/use-browser-location"

type Changes = Record<string, string | null>

/** The values after the address's `?`, and how to change some of them; null takes one away. */
export function useSearchValues(): [URLSearchParams, (changes: Changes, options?: { replace?: boolean }) => void] {
  const search = useSearch() // wouter's own hook decodes twice
  const values = useMemo(() => new URLSearchParams(search), [search])
  const change = useCallback((changes: Changes, options?: { replace?: boolean }) => {
    navigate(withSearchValues(location.pathname, new URLSearchParams(location.search), changes), options)
  }, [])
  return [values, change]
}

/** An address with some of its values changed. */
export function withSearchValues(path: string, values: URLSearchParams, changes: Changes): string {
  const next = new URLSearchParams(values)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  return text === "" ? path : `${path}?${text}`
}
