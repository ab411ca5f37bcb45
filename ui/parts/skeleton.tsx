/** A placeholder for text that is being fetched. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div className="skeleton" role="status">
      <span className="for-readers">Loading</span>
      {Array.from({ length: lines }, (_, line) => line).map((line) => (
        <div key={line} className="skeleton-line" />
      ))}
    </div>
  )
}
