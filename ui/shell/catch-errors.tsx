import { Component, type ReactNode } from "react"
import { Problem } from "../parts/problem.tsx"

type Properties = { children: ReactNode }

/** Shows what went wrong in a page in that page's place; React knows no other way than a class. */
export class CatchErrors extends Component<Properties, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return <Problem error={error} onRetry={() => this.setState({ error: null })} />
  }
}
