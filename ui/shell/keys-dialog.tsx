import Keyboard from "lucide-react/icons/keyboard"
import { useState } from "react"
import { Dialog } from "../parts/dialog.tsx"
import { IconButton } from "../parts/icon-button.tsx"
import { Kbd } from "../parts/kbd.tsx"
import { useKeys } from "../parts/use-keys.ts"

const keys = [
  { keys: ["?"], does: "Show keyboard shortcuts" },
  { keys: ["/"], does: "Focus the search field" },
  { keys: ["j", "↓"], does: "Next item" },
  { keys: ["k", "↑"], does: "Previous item" },
  { keys: ["Home", "End"], does: "First and last item" },
  { keys: ["Enter"], does: "Open the item" },
  { keys: ["Esc"], does: "Back to the list" },
  { keys: ["a", "e"], does: "In the inbox: accept, edit" },
  { keys: ["m", "r"], does: "In the inbox: merge, refuse" },
  { keys: ["+", "−", "0"], does: "On the timeline: zoom in, zoom out, show all" },
  { keys: ["←", "→"], does: "On the timeline: earlier, later" },
]

export function KeysDialog() {
  const [isOpen, setOpen] = useState(false)
  useKeys({ "?": () => setOpen(true) })
  return (
    <>
      <IconButton name="Keys" icon={<Keyboard size={16} aria-hidden />} onClick={() => setOpen(true)} />
      <Dialog title="Keys" isOpen={isOpen} onClose={() => setOpen(false)}>
        <dl className="keys">
          {keys.map(({ keys, does }) => (
            <div key={does} className="keys-row">
              <dt>
                {keys.map((one) => (
                  <Kbd key={one} keys={one} />
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  )
}
