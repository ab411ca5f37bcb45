import type { ReactNode } from "react"

type Properties = {
  label: string
  /** "" for a column that needs no heading, such as that of the buttons. */
  columns: string[]
  rows: { key: string; cells: ReactNode[] }[]
}

/** A table that is a list of cards on a phone; the first cell names the row. */
export function AdminTable({ label, columns, rows }: Properties) {
  return (
    <div className="panel admin-panel">
      <table className="admin-table" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) =>
              column === "" ? (
                <td key="none" />
              ) : (
                <th key={column} scope="col">
                  {column}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...others] }) => (
            <tr key={key}>
              <th scope="row">{first}</th>
              {others.map((cell, at) => (
                <td key={columns[at + 1]} data-name={columns[at + 1]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
