import CircleAlert from "lucide-react/icons/circle-alert"
import CircleCheck from "lucide-react/icons/circle-check"
import Info from "lucide-react/icons/info"
import TriangleAlert from "lucide-react/icons/triangle-alert"
import { CopyCommand } from "../../parts/copy-command.tsx"
import { Panel } from "../../parts/panel.tsx"
import { useSearchValues } from "../../parts/use-search-values.ts"
import type { CheckGroup } from "./group-checks.ts"

const icons = { fail: CircleAlert, warn: TriangleAlert, info: Info, pass: CircleCheck }

/** Findings of one kind. Passed checks stay collapsed until the user opens them. */
export function Checks({ group }: { group: CheckGroup }) {
  const [values, change] = useSearchValues()
  const { look, name, meaning, checks } = group
  if (checks.length === 0) return null
  if (look !== "pass")
    return (
      <Panel title={name}>
        <p className="health-meaning">{meaning}</p>
        <CheckList group={group} />
      </Panel>
    )
  return (
    <details
      className="panel health-passed"
      open={values.has("passed")}
      onToggle={({ currentTarget }) => change({ passed: currentTarget.open ? "shown" : null }, { replace: true })}
    >
      <summary>
        <h2>
          {name} ({checks.length})
        </h2>
      </summary>
      <CheckList group={group} />
    </details>
  )
}

function CheckList({ group: { look, checks } }: { group: CheckGroup }) {
  const Icon = icons[look]
  return (
    <ul className="checks">
      {checks.map(({ name, message, fix }) => (
        <li key={`${name} ${message}`} className="check" data-look={look}>
          <Icon size={16} aria-hidden />
          <div className="check-text">
            <h3>{name}</h3>
            <p>{message}</p>
            {fix ? <CopyCommand command={fix} /> : null}
          </div>
        </li>
      ))}
    </ul>
  )
}
