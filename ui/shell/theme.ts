export type Theme = "system" | "light" | "dark"

const key = "drey-theme"

export function storedTheme(): Theme {
  const value = localStorage.getItem(key)
  return value === "light" || value === "dark" ? value : "system"
}

export function storeTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  applyTheme(theme)
}

/** Without the attribute the style sheet follows the system. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}
