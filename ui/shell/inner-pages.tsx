import { useQuery } from "@tanstack/react-query"
import { Route, Switch } from "wouter"
import { aboutQuery } from "../api/queries.ts"
import { pages } from "../pages.ts"
import { EmptyState } from "../parts/empty-state.tsx"
import { Page } from "../parts/page.tsx"

/** The page at this address, if the server has it; until that is known it may begin. */
export function InnerPages() {
  const { data: about } = useQuery(aboutQuery())
  return (
    <Switch>
      {pages
        .filter(({ place }) => about?.places.includes(place) ?? true)
        .map(({ path, component }) => (
          <Route key={path} path={path} component={component} />
        ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState title="This page does not exist." hint="Choose a page on the left." />
    </Page>
  )
}
