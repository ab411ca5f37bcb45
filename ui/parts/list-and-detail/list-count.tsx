import { Kbd } from "../kbd.tsx"

/** How much a list holds, and which keys move through it. */
export function ListCount({ text }: { text: string }) {
  return (
    <div className="list-count">
      <p role="status">{text}</p>
      <p className="list-keys">
        <Kbd keys="j" /> <Kbd keys="k" /> next and previous
      </p>
    </div>
  )
}
