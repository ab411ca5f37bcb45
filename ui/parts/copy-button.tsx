import Copy from "lucide-react/icons/copy"
import { Button } from "./button.tsx"
import { useToast } from "./toast.tsx"

/** Puts a text on the clipboard and says so; `what` names it: "the text". */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const toast = useToast()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      toast.show({ text: `Copied ${what}.` })
    } catch {
      toast.show({ text: "The browser does not let the app use the clipboard.", isProblem: true })
    }
  }
  return (
    <Button onClick={copy}>
      <Copy size={14} aria-hidden /> Copy {what}
    </Button>
  )
}
