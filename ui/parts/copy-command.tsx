import Copy from "lucide-react/icons/copy"
import { IconButton } from "./icon-button.tsx"
import { useCopy } from "./use-copy.ts"

/** A command for the terminal, to copy. */
export function CopyCommand({ command }: { command: string }) {
  const copy = useCopy()
  return (
    <span className="copy-command">
      <code>{command}</code>
      <IconButton name={`Copy ${command}`} icon={<Copy size={14} aria-hidden />} onClick={() => copy(command)} />
    </span>
  )
}
