import { useEffect, useState } from "react"
import type { useSearchValues } from "../../parts/use-search-values.ts"

type SearchValues = ReturnType<typeof useSearchValues>

const quietTime = 300

/** The query as it is typed. The address follows when the typing pauses, and where the address is changed the text follows. */
export function useAskedQuery(
  values: SearchValues[0],
  change: SearchValues[1],
): [text: string, setText: (text: string) => void] {
  const inAddress = values.get("q") ?? ""
  const [text, setText] = useState(inAddress)
  const [known, setKnown] = useState(inAddress)
  if (known !== inAddress) {
    setKnown(inAddress)
    setText(inAddress)
  }
  useEffect(() => {
    if (text === inAddress) return
    const timer = setTimeout(() => {
      setKnown(text)
      change({ q: text }, { replace: true })
    }, quietTime)
    return () => clearTimeout(timer)
  }, [text, inAddress, change])
  return [text, setText]
}
