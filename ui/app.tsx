import { QueryClientProvider } from "@tanstack/react-query"
import { Suspense, useState } from "react"
import { Route, Switch } from "wouter"
import { LiveProvider } from "./api/live.tsx"
import { makeQueryClient } from "./api/query-client.ts"
import { JoinPage, SignInPage } from "./pages.ts"
import { Skeleton } from "./parts/skeleton.tsx"
import { ToastProvider } from "./parts/toast.tsx"
import { CatchErrors } from "./shell/catch-errors.tsx"
import { Entrance } from "./shell/entrance.tsx"
import { InnerPages } from "./shell/inner-pages.tsx"
import { Shell } from "./shell/shell.tsx"

export function App() {
  const [queryClient] = useState(makeQueryClient)
  return (
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <CatchErrors>
          <Suspense fallback={<Skeleton lines={4} />}>
            <Switch>
              <Route path="/sign-in" component={SignInPage} />
              <Route path="/join" component={JoinPage} />
              <Route component={Inside} />
            </Switch>
          </Suspense>
        </CatchErrors>
      </ToastProvider>
    </QueryClientProvider>
  )
}

/** The app, for signed-in users. */
function Inside() {
  return (
    <Entrance>
      <LiveProvider>
        <Shell>
          <CatchErrors>
            <Suspense fallback={<Skeleton lines={8} />}>
              <InnerPages />
            </Suspense>
          </CatchErrors>
        </Shell>
      </LiveProvider>
    </Entrance>
  )
}
