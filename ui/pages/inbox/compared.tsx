import { type ReactNode, useMemo } from "react"
import { diffWords, type WordPiece } from "./diff-words.ts"

export type ComparedText = { head: ReactNode; title: string; markdown: string }

/** Two texts side by side; the words that only one of them has are marked. */
export function Compared({ before, after }: { before: ComparedText; after: ComparedText }) {
  const titles = useMemo(() => diffWords(before.title, after.title), [before.title, after.title])
  const texts = useMemo(() => diffWords(before.markdown, after.markdown), [before.markdown, after.markdown])
  return (
    <div className="compared">
      <Side head={before.head} mark="del" title={titles.before} text={texts.before} />
      <Side head={after.head} mark="ins" title={titles.after} text={texts.after} />
    </div>
  )
}

type SideProperties = { head: ReactNode; mark: "del" | "ins"; title: WordPiece[]; text: WordPiece[] }

function Side({ head, mark, title, text }: SideProperties) {
  return (
    <div className="compared-side">
      <div className="compared-head">{head}</div>
      <p className="compared-title">
        <Marked pieces={title} mark={mark} />
      </p>
      <p className="compared-text">
        <Marked pieces={text} mark={mark} />
      </p>
    </div>
  )
}

function Marked({ pieces, mark: Mark }: { pieces: WordPiece[]; mark: "del" | "ins" }) {
  return pieces.map(({ text, isChanged }, at) => (isChanged ? <Mark key={at}>{text}</Mark> : text))
}
