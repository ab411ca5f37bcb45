import { expect, test } from "vitest"
import { parseMemoryKey } from "./memory-key.ts"

test.each([
  ["project.package_manager", "project.package_manager"],
  [" User.Pref.Test_Style ", "user.pref.test_style"],
  ["project.db.engine.version", "project.db.engine.version"],
])("%j is the key %s", (text, key) => expect(parseMemoryKey(text)).toBe(key))

test.each(["project", "team.name", "project.a.b.c.d", "project.9", "project..a", "project.a-b", "my key'; --", ""])(
  "%j is no key",
  (text) => expect(parseMemoryKey(text)).toBeUndefined(),
)
