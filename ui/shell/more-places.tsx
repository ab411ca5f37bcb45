import { useQuery } from "@tanstack/react-query"
import Ellipsis from "lucide-react/icons/ellipsis"
import LogOut from "lucide-react/icons/log-out"
import Undo2 from "lucide-react/icons/undo-2"
import { DropdownMenu } from "radix-ui"
import { useState } from "react"
import { Link, useLocation } from "wouter"
import type { About } from "../../src/recall/browse/app-api.ts"
import { undoQuery } from "../api/queries.ts"
import { isIn, type Place } from "./places.ts"
import { ThemeSwitch } from "./theme-switch.tsx"
import { UndoDialog } from "./undo-dialog.tsx"
import { useSignOut } from "./use-sign-out.ts"

/** What a narrow bar has no room for. */
export function MorePlaces({ places, team }: { places: Place[]; team: About["team"] }) {
  const [location] = useLocation()
  const { data: offer } = useQuery(undoQuery())
  const [isUndoing, setUndoing] = useState(false)
  const signOut = useSignOut()
  const isHere = places.some((place) => isIn(place, location))
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="navigation-link" data-current={isHere || undefined}>
          <Ellipsis size={16} aria-hidden />
          <span>More</span>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="more-places" align="end" sideOffset={8} collisionPadding={8}>
            {places.map(({ href, name, icon: Icon }) => (
              <DropdownMenu.Item key={href} asChild>
                <Link href={href} className="more-place">
                  <Icon size={16} aria-hidden /> {name}
                </Link>
              </DropdownMenu.Item>
            ))}
            <DropdownMenu.Separator className="more-line" />
            {offer ? (
              <DropdownMenu.Item className="more-place" onSelect={() => setUndoing(true)}>
                <Undo2 size={16} aria-hidden /> Undo the last change
              </DropdownMenu.Item>
            ) : null}
            <DropdownMenu.Item asChild onSelect={(event) => event.preventDefault()}>
              <ThemeSwitch />
            </DropdownMenu.Item>
            {team ? (
              <>
                <DropdownMenu.Separator className="more-line" />
                <DropdownMenu.Label className="more-who">
                  {team.member}, {team.role} of {team.organisation}
                </DropdownMenu.Label>
                <DropdownMenu.Item className="more-place" onSelect={signOut}>
                  <LogOut size={16} aria-hidden /> Sign out
                </DropdownMenu.Item>
              </>
            ) : null}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {offer ? <UndoDialog offer={offer} isOpen={isUndoing} onClose={() => setUndoing(false)} /> : null}
    </>
  )
}
