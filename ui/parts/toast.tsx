import Undo2 from "lucide-react/icons/undo-2"
import X from "lucide-react/icons/x"
import { Toast as Radix } from "radix-ui"
import { createContext, type ReactNode, useContext, useMemo, useState } from "react"
import { Button } from "./button.tsx"

export type Toast = { text: string; isProblem?: boolean; onUndo?: () => void }

const ToastContext = createContext<{ show: (toast: Toast) => void }>({ show: () => undefined })

/** `show` displays what was done, for ten seconds, with Undo where available. */
export const useToast = () => useContext(ToastContext)

/** Shows one notice at a time: only the last change can be undone. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<{ toast: Toast; key: number } | null>(null)
  const toaster = useMemo(
    () => ({ show: (toast: Toast) => setShown((last) => ({ toast, key: (last?.key ?? 0) + 1 })) }),
    [],
  )
  return (
    <ToastContext value={toaster}>
      <Radix.Provider duration={10_000} label="Notice">
        {children}
        {shown ? <ToastNotice key={shown.key} toast={shown.toast} /> : null}
        <Radix.Viewport className="toasts" />
      </Radix.Provider>
    </ToastContext>
  )
}

function ToastNotice({ toast: { text, isProblem, onUndo } }: { toast: Toast }) {
  return (
    <Radix.Root className={isProblem ? "toast toast-problem" : "toast"}>
      <Radix.Description className="toast-text">{text}</Radix.Description>
      {onUndo ? (
        <Radix.Action asChild altText="Undo">
          <Button onClick={onUndo}>
            <Undo2 size={14} aria-hidden /> Undo
          </Button>
        </Radix.Action>
      ) : null}
      <Radix.Close asChild>
        <Button look="quiet" className="icon-button" aria-label="Dismiss">
          <X size={14} aria-hidden />
        </Button>
      </Radix.Close>
    </Radix.Root>
  )
}
