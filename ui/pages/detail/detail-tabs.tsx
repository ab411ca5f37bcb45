import type { Detail } from "../../../src/recall/browse/app-api.ts"
import { Tabs } from "../../parts/tabs.tsx"
import { Chain } from "./chain.tsx"
import { EvidenceList } from "./evidence-list.tsx"
import { Fields } from "./fields.tsx"
import { Related } from "./related.tsx"
import { Uses } from "./uses.tsx"

export function DetailTabs({ detail, hrefOf }: { detail: Detail; hrefOf: (id: string) => string }) {
  const { row, older, newer, related, evidence, uses, fields } = detail
  const others = related.nodes.filter(({ id }) => id !== row.id).length
  return (
    <Tabs
      label="Details"
      tabs={[
        { id: "uses", name: "Uses", count: uses.length, content: <Uses uses={uses} /> },
        { id: "evidence", name: "Evidence", count: evidence.length, content: <EvidenceList evidence={evidence} /> },
        {
          id: "chain",
          name: "Chain",
          count: older.length + newer.length,
          content: <Chain row={row} older={older} newer={newer} hrefOf={hrefOf} />,
        },
        { id: "record", name: "Metadata", content: <Fields fields={fields} /> },
        {
          id: "related",
          name: "Related",
          count: others,
          content: <Related id={row.id} graph={related} hrefOf={hrefOf} />,
        },
      ]}
    />
  )
}
