import { Tabs as Radix } from "radix-ui"
import { type ReactNode, useEffect, useRef } from "react"

type Properties = {
  label: string
  tabs: { id: string; name: string; count?: number; content: ReactNode }[]
  /** With `onChange`, the tab that is shown is the caller's to keep. */
  shown?: string
  onChange?: (id: string) => void
}

/** Begins with the first tab that has something in it. */
export function Tabs({ label, tabs, shown, onChange }: Properties) {
  const first = tabs.find(({ count }) => count !== 0)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (shown === undefined) return
    // on a phone it may be one of those that are out of sight
    list.current?.querySelector("[data-state=active]")?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [shown])
  const kept = shown === undefined ? { defaultValue: first?.id ?? "" } : { value: shown }
  return (
    <Radix.Root {...kept} {...(onChange ? { onValueChange: onChange } : {})}>
      <Radix.List ref={list} className="tabs" aria-label={label}>
        {tabs.map(({ id, name, count }) => (
          <Radix.Trigger key={id} value={id} className="tab">
            {name}
            {count === undefined ? null : <span className="tab-count">{count}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ id, content }) => (
        <Radix.Content key={id} value={id} className="tab-content">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
