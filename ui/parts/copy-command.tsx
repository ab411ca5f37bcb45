import Copy from "lucide-react/icons/copy"
import { IconButton } from "./icon-button.tsx"
import { useToast } from "./toast.tsx"

/** A command for the terminal, to copy. */
export function CopyCommand({ command }: { command: string }) {
  const toast = useToast()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command)
      toast.show({ text: `Copied ${command}` })
    } catch {
      toast.show({ text: "The browser does not allow copying. Select the command instead.", isProblem: true })
    }
  }
  return (
    <span className="copy-command">
      <code>{command}</code>
      <IconButton name={`Copy ${command}`} icon={<Copy size={14} aria-hidden />} onClick={copy} />
    </span>
  )
}
