import { QueryClientProvider } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { Route, Switch } from "wouter"
import { LiveProvider } from "./api/live.tsx"
import { makeQueryClient } from "./api/query-client.ts"
import { pages } from "./pages.ts"
import { EmptyState } from "./parts/empty-state.tsx"
import { Page } from "./parts/page.tsx"
import { Skeleton } from "./parts/skeleton.tsx"
import { ToastProvider } from "./parts/toast.tsx"
import { CatchErrors } from "./shell/catch-errors.tsx"
import { Shell } from "./shell/shell.tsx"

export function App() {
  const [queryClient] = useState(makeQueryClient)
  return (
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <LiveProvider>
          <Shell>
            <CatchErrors>
              <Suspense fallback={<Skeleton lines={8} />}>
                <Switch>
                  {pages.map(({ path, component }) => (
                    <Route key={path} path={path} component={component} />
                  ))}
                  <Route>
                    <NotFound />
                  </Route>
                </Switch>
              </Suspense>
            </CatchErrors>
          </Shell>
        </LiveProvider>
      </ToastProvider>
    </QueryClientProvider>
  )
}

function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState title="There is nothing at this address." hint="Choose a page on the left." />
    </Page>
  )
}
