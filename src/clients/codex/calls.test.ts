import { expect, test } from "vitest"
import { joinCommandWords } from "./calls.ts"

test.each([
  [["bash", "-lc", "npm test | tail"], "npm test | tail"],
  [["/bin/zsh", "-c", "ls"], "ls"],
  [["C:\\Windows\\pwsh.exe", "-Command", "Get-Item x"], "Get-Item x"],
  [["cmd.exe", "/c", "dir"], "dir"],
  [["git", "-c", "core.pager=cat", "log"], "git -c core.pager=cat log"],
  [["ls"], "ls"],
  [["bash", "run.sh"], "bash run.sh"],
  [[], undefined],
])("%j is %j", (words, line) => {
  expect(joinCommandWords(words)).toBe(line)
})
