import type { ComponentProps, ReactNode } from "react"
import { Button } from "./button.tsx"
import { Tooltip } from "./tooltip.tsx"

type Properties = Omit<ComponentProps<typeof Button>, "children" | "aria-label"> & { name: string; icon: ReactNode }

/** A button that shows its name only when pointed at or focused. */
export function IconButton({ name, icon, look = "quiet", ...rest }: Properties) {
  return (
    <Tooltip text={name}>
      <Button {...rest} look={look} aria-label={name} className="icon-button">
        {icon}
      </Button>
    </Tooltip>
  )
}
