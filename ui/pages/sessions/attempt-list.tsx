import type { ReactNode } from "react"
import { Time } from "../../parts/time.tsx"
import { Became } from "./became.tsx"
import { OutcomeIcon } from "./outcome-icon.tsx"
import { Output } from "./output.tsx"
import { tellDuration } from "./tell-duration.ts"
import { outcomes, type TrackedAttempt } from "./track.ts"

type Properties = { attempts: TrackedAttempt[]; onOpen: (key: string) => void }

/** The attempts one after the other, with what came of each. */
export function AttemptList({ attempts, onOpen }: Properties) {
  const byKey = new Map(attempts.map((each) => [each.key, each]))
  const linkTo = (key: string) => (
    <button key={key} type="button" className="attempt-link" onClick={() => onOpen(key)}>
      {byKey.get(key)?.attempt.description ?? key}
    </button>
  )
  return (
    <ol className="attempts">
      {attempts.map((tracked) => (
        <li
          key={tracked.key}
          id={rowIdOf(tracked.key)}
          className="attempt"
          data-outcome={tracked.outcome}
          tabIndex={-1}
          aria-label={tracked.attempt.description}
        >
          <span className="outcome attempt-mark" data-outcome={tracked.outcome}>
            <OutcomeIcon outcome={tracked.outcome} />
          </span>
          <AttemptText tracked={tracked} />
          {tracked.solvedBy === null ? null : <p className="attempt-tie">Solved by {linkTo(tracked.solvedBy)}</p>}
          {tracked.solves.map((key) => (
            <p key={key} className="attempt-tie">
              Solved {linkTo(key)}
            </p>
          ))}
          <Became id={tracked.attempt.graduatedTo} />
        </li>
      ))}
    </ol>
  )
}

/** The anchor of an attempt on the page. */
export function rowIdOf(key: string): string {
  return `attempt ${key}`
}

function AttemptText({ tracked: { agent, attempt, outcome, from, to } }: { tracked: TrackedAttempt }) {
  const { description, approach, planStep, commands, error, output, lessons, nextAttempt, currentIssue } = attempt
  return (
    <>
      <p className="attempt-title">{description}</p>
      <p className="attempt-facts">
        <strong>{outcomes[outcome]}</strong>
        <span>{agent}</span>
        <Time at={attempt.timestamp} />
        {to > from ? <span>{tellDuration(to - from)}</span> : null}
        {planStep === undefined ? null : <span>step {planStep} of the plan</span>}
        {attempt.progress === undefined ? null : <span>{tellProgress(attempt.progress)}</span>}
      </p>
      <Part name="How" text={approach} />
      {commands.length > 0 ? <Output text={commands.map((each) => `$ ${each}`).join("\n")} /> : null}
      {error ? <Output text={error} isError /> : null}
      {output ? <Output text={output} /> : null}
      <Part name="Current issue" text={currentIssue} />
      <Part name="Lesson" text={lessons} />
      <Part name="Instead" text={nextAttempt} />
      {attempt.artifacts.length > 0 ? (
        <Part
          name="Files"
          text={attempt.artifacts.map(({ path, action }) => (action ? `${path} (${action})` : path)).join(", ")}
        />
      ) : null}
    </>
  )
}

function Part({ name, text }: { name: string; text: ReactNode }) {
  if (!text) return null
  return (
    <p className="attempt-part">
      <span className="attempt-part-name">{name}:</span> {text}
    </p>
  )
}

function tellProgress(progress: string | number): string {
  return typeof progress === "number" ? `${progress} % done` : progress
}
