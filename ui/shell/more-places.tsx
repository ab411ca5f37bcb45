import Ellipsis from "lucide-react/icons/ellipsis"
import { DropdownMenu } from "radix-ui"
import { Link, useLocation } from "wouter"
import { isIn, type Place } from "./places.ts"
import { ThemeSwitch } from "./theme-switch.tsx"

/** The pages that a narrow bar has no room for. */
export function MorePlaces({ places }: { places: Place[] }) {
  const [location] = useLocation()
  const isHere = places.some((place) => isIn(place, location))
  return (
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
          <DropdownMenu.Item asChild onSelect={(event) => event.preventDefault()}>
            <ThemeSwitch />
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
