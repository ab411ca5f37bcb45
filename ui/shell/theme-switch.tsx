import Monitor from "lucide-react/icons/monitor"
import Moon from "lucide-react/icons/moon"
import Sun from "lucide-react/icons/sun"
import { type ComponentProps, useState } from "react"
import { storedTheme, storeTheme, type Theme } from "./theme.ts"

const next: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" }
const icons = { system: Monitor, light: Sun, dark: Moon }

/** Goes round the themes; takes a menu item's attributes where it is one. */
export function ThemeSwitch({ onClick, ...rest }: ComponentProps<"button">) {
  const [theme, setTheme] = useState(storedTheme)
  const Icon = icons[theme]
  return (
    <button
      {...rest}
      type="button"
      className="theme-switch"
      onClick={(event) => {
        onClick?.(event)
        storeTheme(next[theme])
        setTheme(next[theme])
      }}
    >
      <Icon size={16} aria-hidden />
      <span>Theme: {theme}</span>
    </button>
  )
}
