import { useMemo } from "react"
import { layOutTrack } from "./lay-out-track.ts"
import { OutcomeIcon } from "./outcome-icon.tsx"
import { tellDuration } from "./tell-duration.ts"
import { type Outcome, outcomes, type TrackedAttempt } from "./track.ts"

/** In pixels; the style sheet has the same. */
const lineHeight = 26

type Properties = { attempts: TrackedAttempt[]; onOpen: (key: string) => void }

/** The attempts as bars in time, a lane for each agent, and which of them solved what another failed at. The list below has the same content as text. */
export function AttemptLanes({ attempts, onOpen }: Properties) {
  const layout = useMemo(() => layOutTrack(attempts), [attempts])
  const { bars, lanes, lines, from, to } = layout
  const present = (Object.keys(outcomes) as Outcome[]).filter((outcome) =>
    attempts.some((each) => each.outcome === outcome),
  )
  return (
    <figure className="lanes">
      <div className="lanes-picture">
        <div className="lanes-names" aria-hidden>
          {lanes.map(({ agent, lines: own }) => (
            <span key={agent} className="lanes-name" style={{ height: own * lineHeight }} title={agent}>
              {agent}
            </span>
          ))}
        </div>
        <div className="lanes-bars" style={{ height: lines * lineHeight }}>
          {lanes.slice(1).map(({ agent, firstLine }) => (
            <div key={agent} className="lanes-line" style={{ top: firstLine * lineHeight }} />
          ))}
          <svg className="lanes-links" viewBox={`0 0 100 ${lines * lineHeight}`} preserveAspectRatio="none" aria-hidden>
            {bars.flatMap((bar) => {
              const solution = bars.find(({ tracked }) => tracked.key === bar.tracked.solvedBy)
              if (!solution) return []
              const [startX, endX] = [bar.left + bar.width, solution.left]
              const [startY, endY] = [bar, solution].map(({ line }) => (line + 0.5) * lineHeight)
              const middle = (startX + endX) / 2
              const path = `M ${startX} ${startY} C ${middle} ${startY} ${middle} ${endY} ${endX} ${endY}`
              return <path key={bar.tracked.key} d={path} />
            })}
          </svg>
          {bars.map(({ tracked, left, width, line }) => (
            <button
              key={tracked.key}
              type="button"
              className="lanes-bar"
              data-outcome={tracked.outcome}
              style={{ left: `${left}%`, width: `${width}%`, top: line * lineHeight + 4 }}
              title={tellBar(tracked)}
              aria-label={`${tracked.agent}: ${tellBar(tracked)}`}
              onClick={() => onOpen(tracked.key)}
            >
              <OutcomeIcon outcome={tracked.outcome} />
            </button>
          ))}
        </div>
      </div>
      <div className="lanes-times">
        <span>{tellTime(from, to)}</span>
        <span>{tellDuration(to - from)}</span>
        <span>{tellTime(to, from)}</span>
      </div>
      <figcaption className="lanes-legend">
        {present.map((outcome) => (
          <span key={outcome} className="lanes-key">
            <span className="outcome" data-outcome={outcome}>
              <OutcomeIcon outcome={outcome} />
            </span>
            {outcomes[outcome]}
          </span>
        ))}
        {attempts.some(({ solvedBy }) => solvedBy !== null) ? (
          <span className="lanes-key">
            <span className="lanes-key-link" aria-hidden /> solved by
          </span>
        ) : null}
      </figcaption>
    </figure>
  )
}

function tellBar({ attempt, outcome, from, to }: TrackedAttempt): string {
  return `${attempt.description} (${outcomes[outcome]}, ${tellDuration(to - from)})`
}

/** With the day where the other end of the picture is on another one. */
function tellTime(at: number, otherEnd: number): string {
  const isOneDay = new Date(at).toDateString() === new Date(otherEnd).toDateString()
  return (isOneDay ? timeOfDay : dayAndTime).format(at)
}

const timeOfDay = new Intl.DateTimeFormat("en", { timeStyle: "short" })
const dayAndTime = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" })
