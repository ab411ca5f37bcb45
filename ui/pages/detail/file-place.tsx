import { useQuery } from "@tanstack/react-query"
import Copy from "lucide-react/icons/copy"
import SquareArrowOutUpRight from "lucide-react/icons/square-arrow-out-up-right"
import type { Row } from "../../../src/recall/browse/app-api.ts"
import { aboutQuery } from "../../api/queries.ts"
import { IconButton } from "../../parts/icon-button.tsx"
import { useCopy } from "../../parts/use-copy.ts"

/** The file and line of an item, to copy or to open. */
export function FilePlace({ row: { id, path, line } }: { row: Row }) {
  const { data: about } = useQuery(aboutQuery())
  const copy = useCopy()
  const place = line > 0 ? `${path}:${line}` : path
  return (
    <p className="file-place">
      <code>{id}</code>
      <IconButton name="Copy the id" icon={<Copy size={14} aria-hidden />} onClick={() => copy(id)} />
      {path ? (
        <>
          <code>{place}</code>
          <IconButton name="Copy the file and line" icon={<Copy size={14} aria-hidden />} onClick={() => copy(place)} />
          {about ? (
            <a href={editorHref(about.root, place)}>
              <SquareArrowOutUpRight size={12} aria-hidden /> Open in VS Code
            </a>
          ) : null}
        </>
      ) : null}
    </p>
  )
}

function editorHref(root: string, place: string): string {
  const whole = place.startsWith("/") ? place : `${root}/${place}`
  return `vscode://file${whole.split("/").map(encodePart).join("/")}`
}

/** The colon before the line stays as it is. */
function encodePart(part: string): string {
  return encodeURIComponent(part).replaceAll("%3A", ":")
}
