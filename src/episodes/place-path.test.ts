import { expect, test } from "vitest"
import { placePath, placePaths } from "./place-path.ts"

test.each([
  ["/work/shop/src/cart.ts", "src/cart.ts"],
  ["/work/shop", "."],
  ["./src/cart.ts", "src/cart.ts"],
  ["src\\cart.ts", "src/cart.ts"],
  ["/work/shopping/a.ts", "/work/shopping/a.ts"],
  ["/home/ada/notes.md", "~/notes.md"],
  ["C:\\Users\\ada\\notes.md", "~/notes.md"],
])("%s is %s", (path, placed) => {
  expect(placePath(path, "/work/shop")).toBe(placed)
})

test("a drive's letter may be written either way", () => {
  expect(placePath("c:\\code\\shop\\src\\a.ts", "C:\\code\\shop")).toBe("src/a.ts")
})

test("commands and messages lose the root and the home folder, and nothing else", () => {
  expect(placePaths("cd /work/shop && cat /work/shop/src/a.ts /work/shop2/b.ts", "/work/shop")).toBe(
    "cd . && cat src/a.ts /work/shop2/b.ts",
  )
  expect(placePaths("ls /Users/ada/.cache", undefined)).toBe("ls ~/.cache")
})
