import Bot from "lucide-react/icons/bot"
import ChartGantt from "lucide-react/icons/chart-gantt"
import HeartPulse from "lucide-react/icons/heart-pulse"
import Inbox from "lucide-react/icons/inbox"
import LayoutDashboard from "lucide-react/icons/layout-dashboard"
import MessagesSquare from "lucide-react/icons/messages-square"
import NotebookPen from "lucide-react/icons/notebook-pen"
import ScanText from "lucide-react/icons/scan-text"
import Search from "lucide-react/icons/search"
import ShieldCheck from "lucide-react/icons/shield-check"
import Users from "lucide-react/icons/users"

/** All that a navigation may lead to, the most used first: a phone shows these and the others behind "More". */
export const places = [
  { href: "/", name: "Overview", icon: LayoutDashboard },
  { href: "/explorer", name: "Explorer", icon: Search },
  { href: "/inbox", name: "Inbox", icon: Inbox },
  { href: "/context", name: "Context", icon: ScanText },
  { href: "/timeline", name: "Timeline", icon: ChartGantt },
  { href: "/conversations", name: "Conversations", icon: MessagesSquare },
  { href: "/sessions", name: "Sessions", icon: NotebookPen },
  { href: "/agents", name: "Agents", icon: Bot },
  { href: "/audit", name: "Audit", icon: ShieldCheck },
  { href: "/health", name: "Health", icon: HeartPulse },
  { href: "/admin", name: "Admin", icon: Users },
]

export type Place = (typeof places)[number]

export function isIn({ href }: Place, location: string): boolean {
  if (href === "/explorer" && location.startsWith("/items/")) return true
  return location === href || (href !== "/" && location.startsWith(`${href}/`))
}
