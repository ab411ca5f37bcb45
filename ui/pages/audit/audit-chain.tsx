import ShieldAlert from "lucide-react/icons/shield-alert"
import ShieldCheck from "lucide-react/icons/shield-check"
import type { Audit } from "../../../src/recall/browse/app-api.ts"
import { CopyCommand } from "../../parts/copy-command.tsx"
import { quantity } from "../../parts/format-number.ts"
import { Panel } from "../../parts/panel.tsx"

/** Whether the audit was changed, and how that is detected. */
export function AuditChain({ audit: { whole, lines, problem } }: { audit: Audit }) {
  return (
    <Panel title="Integrity">
      {whole ? (
        <p className="chain-state" data-state="whole">
          <ShieldCheck size={18} aria-hidden />
          <span>
            <strong>Intact.</strong> {quantity(lines, "record is", "records are")} unchanged.
          </span>
        </p>
      ) : (
        <p className="chain-state" data-state="broken" role="alert">
          <ShieldAlert size={18} aria-hidden />
          <span>
            <strong>Broken.</strong> {problem ?? "A record was changed."} Compare the file with git's history.
          </span>
        </p>
      )}
      <details className="chain-meaning">
        <summary>How this is verified</summary>
        <p>
          Every line ends with a hash of itself and of the line before it. A line that was changed, removed or inserted
          later no longer matches its neighbours, and this page shows which one:
        </p>
        <p className="chain-example">
          <ShieldAlert size={14} aria-hidden /> memory/audit.jsonl:12: This line is not what was written: its hash is
          wrong.
        </p>
        <p>
          The lines contain who did what, when and why, never the text of a memory. The same check in a terminal, for
          example before a release:
        </p>
        <CopyCommand command="drey memory audit --verify" />
      </details>
    </Panel>
  )
}
