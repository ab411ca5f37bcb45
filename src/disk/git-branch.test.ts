import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeRepository } from "../../test/run-cli.ts"
import { checkedOutBranch } from "./git.ts"

test("the branch is read from the checkout, also in a folder of it, a worktree, and on no branch", () => {
  const main = makeRepository({ ".git/HEAD": "ref: refs/heads/feature/a\n", "src/deep/a.ts": "" })
  expect(checkedOutBranch(join(main, "src", "deep"))).toBe("feature/a")
  const worktree = makeRepository({ ".git": `gitdir: ${join(main, ".git", "worktrees", "w")}\n` })
  mkdirSync(join(main, ".git", "worktrees", "w"), { recursive: true })
  writeFileSync(join(main, ".git", "worktrees", "w", "HEAD"), "ref: refs/heads/main\n")
  expect(checkedOutBranch(worktree)).toBe("main")
  writeFileSync(join(main, ".git", "HEAD"), "0123456789012345678901234567890123456789\n")
  expect(checkedOutBranch(main)).toBeUndefined()
  expect(checkedOutBranch(makeRepository({ "a.ts": "" }))).toBeUndefined()
})
