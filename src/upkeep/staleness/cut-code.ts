/** A Markdown text in parts: sentences with their code spans, the spans, and the lines of code blocks. */
export type CutText = { prose: string[]; spans: { code: string; sentence: string }[]; fenced: string[] }

const longestSpan = 200

export function cutCode(text: string): CutText {
  const cut: CutText = { prose: [], spans: [], fenced: [] }
  let fence: string | undefined
  for (const line of text.split(/\r\n|[\r\n]/)) {
    const [, mark] = /^\s*(?:>\s*)*(`{3,}|~{3,})/.exec(line) ?? []
    if (mark !== undefined && fence === undefined) fence = mark
    else if (mark !== undefined && fence !== undefined && mark.startsWith(fence)) fence = undefined
    else if (fence !== undefined) cut.fenced.push(line)
    else cutLine(line, cut)
  }
  return cut
}

function cutLine(line: string, cut: CutText): void {
  for (const sentence of sentencesOf(line)) {
    cut.prose.push(sentence.replace(span, " "))
    for (const [, , code = ""] of sentence.matchAll(span))
      if (code.length <= longestSpan) cut.spans.push({ code: code.trim(), sentence })
  }
}

/** One or two backticks on either side. */
const span = /(?<!`)(`{1,2})(?!`)([^`]{1,400})\1(?!`)/g

/** A full stop inside a code span does not end a sentence. */
function sentencesOf(line: string): string[] {
  const plain = line.replace(span, (code) => "`".repeat(code.length))
  const sentences: string[] = []
  let start = 0
  for (const { index } of plain.matchAll(/[.;!?](?=\s+\S)/g)) {
    sentences.push(line.slice(start, index + 1))
    start = index + 1
  }
  return [...sentences, line.slice(start)]
}
