import Undo2 from "lucide-react/icons/undo-2"
import X from "lucide-react/icons/x"
import { Toast as Radix } from "radix-ui"
import { createContext, type ReactNode, useContext, useMemo, useState } from "react"
import { Button } from "./button.tsx"

export type Toast = { text: string; isProblem?: boolean; onUndo?: () => void }

const ToastContext = createContext<{ show: (toast: Toast) => void }>({ show: () => undefined })

/** `show` tells the person what was done, for ten seconds, with Undo where there is one. */
export const useToast = () => useContext(ToastContext)

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<(Toast & { key: number })[]>([])
  const toaster = useMemo(() => {
    let last = 0
    const show = (toast: Toast) => setToasts((shown) => [...shown.slice(-2), { ...toast, key: ++last }])
    return { show }
  }, [])
  const remove = (key: number) => setToasts((shown) => shown.filter((one) => one.key !== key))
  return (
    <ToastContext value={toaster}>
      <Radix.Provider duration={10_000} label="Notice">
        {children}
        {toasts.map((toast) => (
          <ToastNotice key={toast.key} toast={toast} onClose={() => remove(toast.key)} />
        ))}
        <Radix.Viewport className="toasts" />
      </Radix.Provider>
    </ToastContext>
  )
}

function ToastNotice({ toast, onClose }: { toast: Toast; onClose: () => void }) {
  return (
    <Radix.Root
      className={toast.isProblem ? "toast toast-problem" : "toast"}
      onOpenChange={(open) => (open ? undefined : onClose())}
    >
      <Radix.Description className="toast-text">{toast.text}</Radix.Description>
      {toast.onUndo ? (
        <Radix.Action asChild altText="Undo with the Undo button of the page">
          <Button onClick={toast.onUndo}>
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
