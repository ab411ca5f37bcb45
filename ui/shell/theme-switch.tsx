import Monitor from "lucide-react/icons/monitor"
import Moon from "lucide-react/icons/moon"
import Sun from "lucide-react/icons/sun"
import { useState } from "react"
import { storedTheme, storeTheme, type Theme } from "./theme.ts"

const next: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" }
const icons = { system: Monitor, light: Sun, dark: Moon }

export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme)
  const Icon = icons[theme]
  const change = () => {
    storeTheme(next[theme])
    setTheme(next[theme])
  }
  return (
    <button
      type="button"
      className="theme-switch"
      onClick={change}
      title={`Theme: ${theme}. Change to ${next[theme]}.`}
    >
      <Icon size={16} aria-hidden />
      <span>Theme: {theme}</span>
    </button>
  )
}
