import X from "lucide-react/icons/x"
import { Dialog as Radix } from "radix-ui"
import type { ReactNode } from "react"
import { IconButton } from "./icon-button.tsx"

type Properties = {
  title: string
  description?: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  /** `wide` for two texts side by side. */
  width?: "narrow" | "wide"
}

export function Dialog({ title, description, isOpen, onClose, children, width = "narrow" }: Properties) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Portal>
        {/* Not Radix's overlay: that one writes a style element, which the Content-Security-Policy forbids. */}
        <div className="dialog-overlay" />
        <Radix.Content className={`dialog dialog-${width}`} {...(description ? {} : { "aria-describedby": undefined })}>
          <header className="dialog-head">
            <Radix.Title className="dialog-title">{title}</Radix.Title>
            <IconButton name="Close" icon={<X size={16} aria-hidden />} onClick={onClose} />
          </header>
          {description ? <Radix.Description className="dialog-description">{description}</Radix.Description> : null}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
