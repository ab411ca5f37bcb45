import { useCombobox } from "downshift"
import Search from "lucide-react/icons/search"
import { type KeyboardEvent, type RefObject, useState } from "react"
import { flushSync } from "react-dom"
import type { QueryCompletion } from "../../../src/formats/query.ts"
import type { Items } from "../../../src/recall/browse/app-api.ts"
import { Kbd } from "../kbd.tsx"
import "./query-field.css"
import { QueryProblems } from "./query-problems.tsx"
import { useCompletions } from "./use-completions.ts"

type Properties = {
  label: string
  value: string
  onChange: (value: string) => void
  problems: Items["problems"]
  inputRef: RefObject<HTMLInputElement | null>
  /** Enter, or an arrow down that no completion handles: moves to the results. */
  onLeave?: () => void
}

/** The query field, with completions at the cursor and problems. */
export function QueryField({ label, value, onChange, problems, inputRef, onLeave }: Properties) {
  const [cursor, setCursor] = useState(value.length)
  const completions = useCompletions(value, cursor)
  const { isOpen, highlightedIndex, getInputProps, getMenuProps, getItemProps, openMenu, closeMenu } = useCombobox({
    items: completions,
    inputValue: value,
    selectedItem: null,
    itemToString: (completion) => completion?.insert ?? "",
    onSelectedItemChange: ({ selectedItem }) => selectedItem && complete(selectedItem),
    stateReducer: (_, { changes }) => ({ ...changes, inputValue: value }),
  })
  const isShown = isOpen && completions.length > 0

  function complete({ start, end, insert }: QueryCompletion) {
    const written = insert.endsWith(":") ? insert : `${insert} `
    flushSync(() => {
      onChange(value.slice(0, start) + written + value.slice(end).trimStart())
      setCursor(start + written.length)
    })
    inputRef.current?.setSelectionRange(start + written.length, start + written.length)
    if (insert.endsWith(":")) openMenu()
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const takesKey = isShown && (event.key !== "Enter" || highlightedIndex >= 0)
    if (event.key === "Escape" && !isShown) inputRef.current?.blur()
    if (takesKey || (event.key !== "Enter" && event.key !== "ArrowDown")) return
    closeMenu()
    onLeave?.()
  }

  return (
    <div className="query-field">
      <div className="query-field-box">
        <Search size={16} aria-hidden />
        <input
          {...getInputProps({
            ref: inputRef,
            "aria-label": label,
            onChange: (event) => {
              onChange(event.currentTarget.value)
              setCursor(event.currentTarget.selectionStart ?? event.currentTarget.value.length)
            },
            onSelect: (event) => setCursor(event.currentTarget.selectionStart ?? 0),
            onClick: (event) => {
              // only typing opens the list
              ;(event.nativeEvent as { preventDownshiftDefault?: boolean }).preventDownshiftDefault = true
            },
            onKeyDown,
          })}
          className="query-field-input"
          type="search"
          placeholder="Search, or type:decision author:name tag:…"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-invalid={problems.length > 0}
        />
        <Kbd keys="/" />
      </div>
      <ul
        {...getMenuProps({ "aria-label": "Completions" })}
        className={isShown ? "completions" : "completions completions-hidden"}
      >
        {isShown
          ? completions.map((completion, index) => (
              <li
                key={completion.insert}
                {...getItemProps({ item: completion, index })}
                className="completion"
                data-highlighted={highlightedIndex === index || undefined}
              >
                {completion.insert}
              </li>
            ))
          : null}
      </ul>
      <QueryProblems problems={problems} />
    </div>
  )
}
