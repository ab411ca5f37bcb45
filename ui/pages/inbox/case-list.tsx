import { Fragment } from "react"
import { Link } from "wouter"
import { TypeBadge } from "../../parts/badge.tsx"
import { Time } from "../../parts/time.tsx"
import { type Case, origins } from "./cases.ts"

type Properties = {
  cases: Case[]
  shown: string | null
  hrefOf: (id: string) => string
  /** Where the list stays visible, a viewed case does not add a step to the browser's history. */
  staysInSight: boolean
}

const groups = [
  { kind: "proposal", title: "Proposals", hint: "They become active once accepted." },
  { kind: "pair", title: "Near-duplicates", hint: "Both are active and nearly the same." },
  { kind: "broken", title: "Broken files", hint: "They cannot be read until they are fixed." },
] as const

export function CaseList({ cases, shown, hrefOf, staysInSight }: Properties) {
  return (
    <nav className="case-list" aria-label="To review">
      {groups.map(({ kind, title, hint }) => {
        const own = cases.filter((each) => each.kind === kind)
        return own.length === 0 ? null : (
          <Fragment key={kind}>
            <h2 className="list-group" title={hint}>
              {title} <span className="list-group-count">{own.length}</span>
            </h2>
            <ul>
              {own.map((each) => (
                <li key={each.id}>
                  <Link
                    href={hrefOf(each.id)}
                    replace={staysInSight}
                    className="item-row list-row"
                    aria-current={each.id === shown ? "true" : undefined}
                    data-row={each.id}
                  >
                    <CaseContent one={each} />
                  </Link>
                </li>
              ))}
            </ul>
          </Fragment>
        )
      })}
    </nav>
  )
}

function CaseContent({ one }: { one: Case }) {
  switch (one.kind) {
    case "proposal": {
      const { row, from, against, diagnostics } = one.proposal
      return (
        <>
          <span className="item-row-head">
            <TypeBadge type={row.type} />
            <span className="item-row-title">{row.title}</span>
          </span>
          <span className="item-row-foot">
            <span className="item-row-author">{[row.author, origins[from]].filter(Boolean).join(", ")}</span>
            {against.some(({ relation }) => relation === "supersedes") ? <CaseMark text="replaces" /> : null}
            {against.some(({ relation }) => relation === "near-duplicate") ? <CaseMark text="near-duplicate" /> : null}
            {diagnostics.some(({ severity }) => severity === "error") ? <CaseMark text="has errors" /> : null}
            {row.at === null ? null : <Time at={row.at} />}
          </span>
        </>
      )
    }
    case "pair":
      return (
        <>
          <span className="item-row-title">{one.pair.one.title}</span>
          <span className="item-row-title">{one.pair.other.title}</span>
          <span className="item-row-foot">{Math.round(one.pair.likeness * 100)} % alike</span>
        </>
      )
    case "broken":
      return (
        <>
          <span className="item-row-title mono">{one.file.path.split("/").at(-1)}</span>
          <span className="item-row-snippet">{one.file.problem}</span>
        </>
      )
  }
}

function CaseMark({ text }: { text: string }) {
  return <span className="case-mark">{text}</span>
}
