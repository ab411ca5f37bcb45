/**
 * Joins a command stored as a list of words; a shell's script stands for itself: `["bash", "-lc", "npm test"]` is `npm
 * test`.
 */
export function joinWords(words: readonly string[]): string | undefined {
  const [program = "", flag = "", script] = words
  if (script !== undefined && isShell.test(program) && isScriptFlag.test(flag)) return script
  return words.length === 0 ? undefined : words.join(" ")
}

const isShell = /(?:^|[\\/])(?:(?:ba|z|da|k|fi)?sh|pwsh|powershell|cmd)(?:\.exe)?$/i
const isScriptFlag = /^(?:-[a-z]{0,6}c|-Command|\/c)$/i
