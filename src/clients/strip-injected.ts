import { type BlockTag, cutBlocks } from "./cut-blocks.ts"

export type Stripped = { text: string; contexts: string[] }

/** A truncated context is still ours, and a missing end tag must not expose private text: both extend to the end. */
const contextTag: BlockTag = { open: "<drey-context", close: "</drey-context>", reachesToEnd: true }
const privateTag: BlockTag = { open: "<private>", close: "</private>", reachesToEnd: true }

/** Removes Drey's contexts, recording their ids, and text that the user marked as private. */
export function stripInjected(text: string): Stripped {
  if (!text.includes(contextTag.open) && !text.includes(privateTag.open)) return { text, contexts: [] }
  const contexts: string[] = []
  const withoutContexts = cutBlocks(text, contextTag, (block) => {
    const task = taskAttribute.exec(block.slice(0, 200))?.[1]
    if (task !== undefined && !contexts.includes(task)) contexts.push(task)
  })
  return { text: cutBlocks(withoutContexts, privateTag).trim(), contexts }
}

/** Quotes are escaped in logs quoted inside logs. */
const taskAttribute = /^<drey-context[^>]{0,100}?\stask=\\{0,8}"(t-[\w-]{1,64})/
