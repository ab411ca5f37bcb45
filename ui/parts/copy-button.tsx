import Copy from "lucide-react/icons/copy"
import { Button } from "./button.tsx"
import { useCopy } from "./use-copy.ts"

/** Copies a text that is too long to be named by itself; `what` names it: "the text". */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const copy = useCopy()
  return (
    <Button onClick={() => copy(text, what)}>
      <Copy size={14} aria-hidden /> Copy {what}
    </Button>
  )
}
