import { useQuery } from "@tanstack/react-query"
import { Link } from "wouter"
import type { ConversationDetail, TranscriptStep } from "../../../src/recall/browse/app-api.ts"
import { conversationQuery, replayQuery } from "../../api/queries.ts"
import { Answer } from "../../parts/answer.tsx"
import { explorerHref } from "../../parts/item-href.ts"
import { Markdown } from "../../parts/markdown.tsx"
import { usePageTitle } from "../../parts/page.tsx"
import { Time } from "../../parts/time.tsx"

export function ConversationView({ id }: { id: string }) {
  const query = useQuery(conversationQuery(id))
  return (
    <Answer query={query} lines={12}>
      {(conversation) => (
        <article className="conversation">
          <Head conversation={conversation} />
          <Replay conversation={conversation} />
        </article>
      )}
    </Answer>
  )
}

const outcomes: Record<ConversationDetail["outcome"], string> = {
  success: "done",
  partial: "partly done",
  uncertain: "result not known",
  failure: "failed",
}

function Head({ conversation }: { conversation: ConversationDetail }) {
  const { title, at, client, session, outcome, edited, commits, place } = conversation
  usePageTitle(title)
  return (
    <header className="conversation-head">
      <h2>{title}</h2>
      <p className="conversation-facts">
        <span className="conversation-outcome" data-outcome={outcome}>
          {outcomes[outcome]}
        </span>
        <span>{client}</span>
        {at === null ? null : <Time at={at} />}
        <span>session {session.slice(0, 8)}</span>
      </p>
      {commits.length > 0 ? (
        <ul className="conversation-commits" aria-label="Commits made in it">
          {commits.map((commit) => (
            <li key={commit.id}>
              <code>{commit.id.slice(0, 8)}</code> {commit.title}
            </li>
          ))}
        </ul>
      ) : null}
      {edited.length > 0 ? (
        <p className="conversation-facts">
          <span>Changed:</span>
          {edited.map((file) => (
            <Link key={file} href={explorerHref(`file:${file}`)}>
              <code>{file}</code>
            </Link>
          ))}
        </p>
      ) : null}
      <code className="conversation-place">{place}</code>
    </header>
  )
}

/** The steps as the transcript has them; without it, what was kept of them. */
function Replay({ conversation }: { conversation: ConversationDetail }) {
  const query = useQuery(replayQuery(conversation.id))
  return (
    <Answer query={query} lines={10}>
      {({ steps, missing }) => (
        <>
          {missing === null ? null : (
            <p className="conversation-missing" role="note">
              {steps.length === 0 ? `Only the summary is left: ${missing}.` : `Not complete: ${missing}.`}
            </p>
          )}
          <ol className="conversation-steps" aria-label="Steps">
            {steps.length === 0
              ? conversation.said.map((said) => (
                  <li key={`${said.line} ${said.by}`}>
                    <Words by={said.by} text={said.text} />
                  </li>
                ))
              : groupCalls(steps).map(({ step, results }) => (
                  <li key={`${step.line} ${step.ts} ${step.text.slice(0, 20)} ${step.command ?? ""}`}>
                    {step.kind === "message" ? <Words by={step.by} text={step.text} at={step.ts} /> : null}
                    {step.kind === "message" ? null : <Call step={step} results={results} />}
                  </li>
                ))}
          </ol>
        </>
      )}
    </Answer>
  )
}

type Step = { step: TranscriptStep; results: TranscriptStep[] }

/** A call with what it returned. */
function groupCalls(steps: readonly TranscriptStep[]): Step[] {
  const grouped: Step[] = []
  for (const step of steps) {
    const last = grouped.at(-1)
    if (step.kind === "tool_result" && last && last.step.kind !== "message") last.results.push(step)
    else if (step.kind !== "message" || step.text.trim() !== "") grouped.push({ step, results: [] })
  }
  return grouped
}

function Words({ by, text, at }: { by: string; text: string; at?: string }) {
  return (
    <div className="conversation-words" data-by={by}>
      <p className="conversation-facts">
        <strong>{by === "user" ? "User" : "Agent"}</strong>
        {at === undefined ? null : <Time at={at} />}
      </p>
      <Markdown text={text} />
    </div>
  )
}

function Call({ step, results }: Step) {
  const isError = [step, ...results].some((each) => each.isError)
  const name = step.command ?? [step.tool ?? step.kind.replace("_", " "), ...(step.files ?? [])].join(" ")
  const output = (step.kind === "tool_result" ? [step, ...results] : results).map(({ text }) => text.trimEnd())
  const printed = output.filter((text) => text !== "").join("\n")
  return (
    <details className="conversation-call" data-error={isError}>
      <summary>
        <code>{name}</code>
        {isError ? <span className="conversation-failed">failed</span> : null}
      </summary>
      <pre>{printed === "" ? "No output." : printed}</pre>
    </details>
  )
}
