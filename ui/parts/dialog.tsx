import X from "lucide-react/icons/x"
import { Dialog as Radix } from "radix-ui"
import type { ReactNode } from "react"
import { Button } from "./button.tsx"

type Properties = {
  title: string
  description?: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  /** `wide` for two texts side by side. */
  width?: "narrow" | "wide"
}

/** The first control among the children has the focus. */
export function Dialog({ title, description, isOpen, onClose, children, width = "narrow" }: Properties) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Portal>
        {/* Not Radix's overlay: that one writes a style element, which the Content-Security-Policy forbids. */}
        <div className="dialog-overlay" />
        <Radix.Content className={`dialog dialog-${width}`} {...(description ? {} : { "aria-describedby": undefined })}>
          <Radix.Title className="dialog-title">{title}</Radix.Title>
          {description ? <Radix.Description className="dialog-description">{description}</Radix.Description> : null}
          {children}
          <Button look="quiet" className="icon-button dialog-close" aria-label="Close" onClick={onClose}>
            <X size={16} aria-hidden />
          </Button>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
