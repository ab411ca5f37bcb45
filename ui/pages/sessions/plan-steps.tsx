import type { PlanStep } from "../../../src/formats/session/sibling-schemas.ts"
import type { SessionDetail } from "../../../src/recall/browse/app-api.ts"
import { EmptyState } from "../../parts/empty-state.tsx"
import { OutcomeIcon } from "./outcome-icon.tsx"
import { Output } from "./output.tsx"
import type { Outcome } from "./track.ts"

const looks: Record<PlanStep["status"], Outcome> = {
  pending: "in_progress",
  in_progress: "in_progress",
  complete: "success",
  failed: "failure",
  skipped: "partial",
}

export function PlanSteps({ plan }: { plan: SessionDetail["plan"] }) {
  if (!plan || plan.steps.length === 0) return <EmptyState title="No plan." />
  return (
    <>
      <p className="plan-facts">
        Version {plan.version}, {plan.status.replace("_", " ")}
        {plan.createdBy ? `, by ${plan.createdBy}` : ""}
      </p>
      <ol className="plan">
        {plan.steps.map((step) => (
          <li
            key={step.index}
            className="attempt"
            aria-current={step.index === plan.currentStepIndex ? "step" : undefined}
          >
            {step.status === "pending" ? (
              <span className="outcome attempt-mark" data-outcome="pending" />
            ) : (
              <span className="outcome attempt-mark" data-outcome={looks[step.status]}>
                <OutcomeIcon outcome={looks[step.status]} />
              </span>
            )}
            <p className="attempt-title">
              {step.index + 1}. {step.description}
            </p>
            <p className="attempt-facts">
              <strong>{step.status.replace("_", " ")}</strong>
              {step.executedBy ? <span>{step.executedBy}</span> : null}
              {step.dependsOn.length > 0 ? (
                <span>after {step.dependsOn.map((each) => each + 1).join(", ")}</span>
              ) : null}
            </p>
            {step.error ? <Output text={step.error} isError /> : null}
            {step.output ? <p className="attempt-part">{step.output}</p> : null}
          </li>
        ))}
      </ol>
    </>
  )
}
