/** Whether a prompt names no task: "yes", "go on", "looks good, continue", a command to the client. */
export function isAside(prompt: string): boolean {
  const words = prompt.trim()
  if (/^[/!#]\S*(?:\s+\S{1,40})?$/.test(words)) return true
  return (
    words.length <= 60 &&
    words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}' ]+/gu, " ")
      .replace(asides, " ")
      .trim() === ""
  )
}

const asides =
  /\b(?:thank you|go on|go ahead|keep going|carry on|try again|do it|do that|do so|ship it|that works|it works|y|n|k|yes|yep|yeah|yup|no|nope|ok|okay|sure|right|correct|exactly|agreed|fine|good|great|nice|cool|perfect|awesome|excellent|thanks|thx|ty|please|pls|continue|proceed|go|resume|next|again|retry|lgtm|looks|sounds|works|done|stop|wait|and|then|all|it|now|[1-9]|a|b|c|ja|nein|weiter|danke|oui|non|merci|si|sí|gracias)\b/gu
