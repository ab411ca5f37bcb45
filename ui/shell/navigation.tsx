import { useQuery } from "@tanstack/react-query"
import Bot from "lucide-react/icons/bot"
import ChartGantt from "lucide-react/icons/chart-gantt"
import HeartPulse from "lucide-react/icons/heart-pulse"
import Inbox from "lucide-react/icons/inbox"
import LayoutDashboard from "lucide-react/icons/layout-dashboard"
import NotebookPen from "lucide-react/icons/notebook-pen"
import ScanText from "lucide-react/icons/scan-text"
import Search from "lucide-react/icons/search"
import ShieldCheck from "lucide-react/icons/shield-check"
import { Link, useLocation } from "wouter"
import { inboxQuery } from "../api/queries.ts"

const places = [
  { href: "/", name: "Overview", icon: LayoutDashboard },
  { href: "/explorer", name: "Explorer", icon: Search },
  { href: "/inbox", name: "Inbox", icon: Inbox },
  { href: "/context", name: "Context", icon: ScanText },
  { href: "/timeline", name: "Timeline", icon: ChartGantt },
  { href: "/sessions", name: "Sessions", icon: NotebookPen },
  { href: "/agents", name: "Agents", icon: Bot },
  { href: "/audit", name: "Audit", icon: ShieldCheck },
  { href: "/health", name: "Health", icon: HeartPulse },
]

export function Navigation() {
  const [location] = useLocation()
  const waiting = useWaiting()
  return (
    <nav className="navigation" aria-label="Pages">
      <ul>
        {places.map(({ href, name, icon: Icon }) => (
          <li key={href}>
            <Link href={href} className="navigation-link" aria-current={isIn(location, href) ? "page" : undefined}>
              <Icon size={16} aria-hidden />
              <span className="navigation-name">{name}</span>
              {name === "Inbox" && waiting > 0 ? <WaitingCount count={waiting} /> : null}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function WaitingCount({ count }: { count: number }) {
  return (
    <span className="navigation-count">
      {count}
      <span className="for-readers"> waiting</span>
    </span>
  )
}

function isIn(location: string, href: string): boolean {
  if (href === "/explorer" && location.startsWith("/items/")) return true
  return href === "/" ? location === "/" : location === href || location.startsWith(`${href}/`)
}

function useWaiting(): number {
  const { data } = useQuery(inboxQuery())
  return data ? data.proposals.length + data.nearDuplicates.length + data.broken.length : 0
}
