import type { BrokenFileRow } from "../../../src/recall/browse/app-api.ts"
import { CopyButton } from "../../parts/copy-button.tsx"
import { Diagnostics } from "../detail/diagnostics.tsx"
import { Hints, isError } from "./hints.tsx"

export function BrokenView({ file: { path, problem, diagnostics } }: { file: BrokenFileRow }) {
  return (
    <article className="proposal">
      <header className="proposal-head">
        <h2 className="proposal-title">
          <code>{path}</code>
        </h2>
        <p>{problem}</p>
      </header>
      <Diagnostics diagnostics={diagnostics.filter(isError)} />
      <Hints diagnostics={diagnostics.filter((each) => !isError(each))} />
      <p className="proposal-alone">Fix it in an editor. The proposal appears here as soon as the file is saved.</p>
      <div className="proposal-actions">
        <CopyButton text={path} what="the path" />
      </div>
    </article>
  )
}
