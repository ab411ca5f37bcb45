import CalendarClock from "lucide-react/icons/calendar-clock"
import ChevronRight from "lucide-react/icons/chevron-right"
import CircleCheck from "lucide-react/icons/circle-check"
import Eye from "lucide-react/icons/eye"
import FileWarning from "lucide-react/icons/file-warning"
import Gauge from "lucide-react/icons/gauge"
import GitCompareArrows from "lucide-react/icons/git-compare-arrows"
import Hourglass from "lucide-react/icons/hourglass"
import Inbox from "lucide-react/icons/inbox"
import { Link } from "wouter"
import type { Overview } from "../../../src/recall/browse/app-api.ts"
import { Panel } from "../../parts/panel.tsx"

const icons = {
  broken: FileWarning,
  conflict: GitCompareArrows,
  inbox: Inbox,
  review: Eye,
  stale: Hourglass,
  expired: CalendarClock,
  "over budget": Gauge,
}

/** What to review, each with a link. */
export function Needs({ needs }: { needs: Overview["needs"] }) {
  return (
    <Panel title="To review">
      <div aria-live="polite">
        {needs.length === 0 ? (
          <p className="needs-none">
            <CircleCheck size={16} aria-hidden /> Nothing to review.
          </p>
        ) : (
          <ul className="needs">
            {needs.map(({ kind, text, href }) => {
              const Icon = icons[kind]
              return (
                <li key={text}>
                  <Link href={href} className="need" data-kind={kind}>
                    <Icon size={16} aria-hidden />
                    <span className="need-text">{text}</span>
                    <ChevronRight size={16} aria-hidden />
                  </Link>
                </li>
              )
            })}
          </ul>
        )}
      </div>
    </Panel>
  )
}
