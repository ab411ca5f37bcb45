import { expect, test } from "vitest"
import { parsePathPrefix } from "./path-prefix.ts"

test.each([
  ["packages\\api\\", "packages/api"],
  ["./src//web/", "src/web"],
  ["src/a/../b", "src/b"],
  [" README.md ", "README.md"],
])("the path %s is kept as %s", (text, prefix) => expect(parsePathPrefix(text)).toBe(prefix))

test.each(["../other", "a/../../b", "src/../..", "/etc", "C:\\work", "~/x", "src/*", "a\nb", ".", "src/..", ""])(
  "%j is no place in a repository",
  (text) => expect(parsePathPrefix(text)).toBeUndefined(),
)
