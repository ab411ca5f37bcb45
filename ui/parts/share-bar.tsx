/** The share of the largest value, decorative: the figure is beside it. */
export function ShareBar({ share }: { share: number }) {
  const width = `${Math.round(Math.min(1, Math.max(0, share)) * 100)}%`
  return (
    <span className="share-bar" aria-hidden>
      <span className="share-bar-fill" style={{ width }} />
    </span>
  )
}
