import { EmptyState } from "../../parts/empty-state.tsx"

/** What else is on record. */
export function Fields({ fields }: { fields: { name: string; value: string }[] }) {
  if (fields.length === 0) return <EmptyState title="No other metadata." />
  return (
    <dl className="fields">
      {fields.map(({ name, value }) => (
        <div key={`${name} ${value}`} className="fields-row">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
