import { Component, type ReactNode } from "react"
import { useLocation } from "wouter"
import { Problem } from "../parts/problem.tsx"

/** Shows what went wrong in a page in that page's place; other pages can still be gone to. */
export function CatchErrors({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  return <ErrorBoundary path={path}>{children}</ErrorBoundary>
}

type Properties = { path: string; children: ReactNode }

/** React knows no other way than a class. */
class ErrorBoundary extends Component<Properties, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override componentDidUpdate({ path }: Properties) {
    if (this.state.error && path !== this.props.path) this.setState({ error: null })
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    // React and the browser remember that a part of the app could not be fetched: only a reload tries again
    return <Problem error={error} onRetry={() => location.reload()} />
  }
}
