const small =
  /\b(?:typos?|spelling|misspell(?:ed|ing)?|whitespace|indentation|formatting|reformat|prettier|line ?breaks?|comments?|punctuation|capitali[sz]ation)\b/i

/** A task of a few words about spelling, comments or layout: nothing learned from earlier work can matter to it. */
export function isTrivial(task: string): boolean {
  const words = task.trim().split(/\s+/)
  return words.length <= 10 && small.test(task) && !/\b(?:test|error|fail|bug|why|decide|review)/i.test(task)
}
