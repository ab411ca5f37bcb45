import { useQuery } from "@tanstack/react-query"
import { Link, useLocation } from "wouter"
import { aboutQuery, overviewQuery } from "../api/queries.ts"
import { useMediaQuery } from "../parts/use-media-query.ts"
import { MorePlaces } from "./more-places.tsx"
import { isIn, type Place, places } from "./places.ts"

const onPhones = 4

export function Navigation() {
  const isPhone = useMediaQuery("(width < 700px)")
  const { data: about } = useQuery(aboutQuery())
  const present = places.filter(({ href }) => about?.places.includes(href))
  return (
    <nav className="navigation" aria-label="Pages">
      <ul>
        {present.slice(0, isPhone ? onPhones : present.length).map((place) => (
          <li key={place.href}>
            <PlaceLink place={place} />
          </li>
        ))}
        {isPhone ? (
          <li>
            <MorePlaces places={present.slice(onPhones)} team={about?.team ?? null} />
          </li>
        ) : null}
      </ul>
    </nav>
  )
}

function PlaceLink({ place }: { place: Place }) {
  const [location] = useLocation()
  const { href, name, icon: Icon } = place
  return (
    <Link href={href} className="navigation-link" aria-current={isIn(place, location) ? "page" : undefined}>
      <Icon size={16} aria-hidden />
      <span>{name}</span>
      <NeedCount href={href} />
    </Link>
  )
}

/** How many items of a page need review. */
function NeedCount({ href }: { href: string }) {
  const { data } = useQuery(overviewQuery())
  const count = data?.needs.reduce((sum, need) => (need.href === href ? sum + need.count : sum), 0)
  if (!count) return null
  return (
    <span className="navigation-count">
      {count}
      <span className="for-readers"> to look at</span>
    </span>
  )
}
