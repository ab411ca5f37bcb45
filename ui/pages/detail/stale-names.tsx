import { useQuery } from "@tanstack/react-query"
import CircleAlert from "lucide-react/icons/circle-alert"
import CornerDownRight from "lucide-react/icons/corner-down-right"
import TriangleAlert from "lucide-react/icons/triangle-alert"
import { type ReactNode, useId } from "react"
import type { StaleName } from "../../../src/recall/browse/app-api.ts"
import { aboutQuery, staleNamesQuery } from "../../api/queries.ts"
import { Problem } from "../../parts/problem.tsx"
import { TitleText } from "../../parts/title-text.tsx"

/** The files, commands and symbols in an item's text that are not as they were when it was written. */
export function StaleNames({ id }: { id: string }) {
  const { data: about } = useQuery(aboutQuery())
  const isInRepository = about !== undefined && about.team === null // a team's server has no files
  const { data, error } = useQuery({ ...staleNamesQuery(id), enabled: isInRepository })
  const label = useId()
  if (error) return <Problem error={error} />
  if (!data || data.names.length === 0) return null
  return (
    <section className="stale-names" aria-labelledby={label}>
      <p id={label}>It refers to things that have changed since it was written:</p>
      <ul className="diagnostics">
        {data.names.map(({ state, text, words }) => (
          <li key={text} className="diagnostic" data-severity={state === "gone" ? "error" : "warning"}>
            {icons[state]}
            <span>
              <TitleText text={words} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const icons: Record<StaleName["state"], ReactNode> = {
  gone: <CircleAlert size={16} aria-label="Gone" />,
  moved: <CornerDownRight size={16} aria-label="Moved" />,
  changed: <TriangleAlert size={16} aria-label="Changed" />,
}
