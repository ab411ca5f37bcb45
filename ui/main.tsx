import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { enterByLink } from "./api/key.ts"
import { App } from "./app.tsx"
import { applyTheme, storedTheme } from "./shell/theme.ts"
import "./styles/tokens.css"
import "./styles/document.css"
import "./styles/parts.css"
import "./styles/figures.css"
import "./styles/shell.css"
import "./styles/front.css"

applyTheme(storedTheme())
const root = document.getElementById("root")
if (!root) throw new Error("The page has no root element.")
await enterByLink().catch(() => {}) // no answer: the app itself shows that
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
