/** A title or a sentence on one line, with text between backticks as code. */
export function TitleText({ text }: { text: string }) {
  const pieces = text.split(/`([^`]+)`/)
  return pieces.map((piece, index) => {
    const isCode = index % 2 === 1
    return isCode ? <code key={index}>{piece}</code> : piece
  })
}
