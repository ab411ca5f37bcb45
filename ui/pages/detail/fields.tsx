/** What else is on record. */
export function Fields({ fields }: { fields: { name: string; value: string }[] }) {
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
