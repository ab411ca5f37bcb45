import { expect, test } from "vitest"
import { normalizeRemote, remoteIn } from "./git-remote.ts"

test.each([
  ["https://github.com/acme/api.git", "github.com/acme/api"],
  ["https://kim:secret@GitHub.com/acme/api", "github.com/acme/api"],
  ["https://github.com:443/acme/api/", "github.com/acme/api"],
  ["git@github.com:acme/api.git", "github.com/acme/api"],
  ["github.com:acme/api", "github.com/acme/api"],
  ["git@github.com:/acme/api.git", "github.com/acme/api"],
  ["ssh://git@github.com:22/acme/api.git", "github.com/acme/api"],
  ["git://github.com/acme/api.git/", "github.com/acme/api"],
  ["https://git.example.org/group/sub/Api.git", "git.example.org/group/sub/Api"],
  ["ssh://git@[2001:db8::1]:22/acme/api", "[2001:db8::1]/acme/api"],
  ["/srv/git/api.git", "/srv/git/api"],
  ["../api.git", "/home/kim/api"],
  ["file:///srv/git/api.git", "/srv/git/api"],
])("%s is %s", (remote, normal) => {
  expect(normalizeRemote(remote, "/home/kim/work")).toBe(normal)
})

test("origin is the remote, however git's configuration is written", () => {
  const config = `[core]\n\tbare = false\n; url = commented\n[Remote "upstream"]\n\turl = one\n[remote "origin"]\r\n\tfetch = +refs\r\n\tURL = "two#2" # why\r\n\turl = three\r\n[branch "main"]\n\turl = four`
  expect(remoteIn(config)).toBe("two#2")
  expect(remoteIn('[remote "a b"] url = on\\\ne\n')).toBe("one")
  expect(remoteIn('[remote "one"]\nurl = 1\n[remote "two"]\nurl = 2')).toBe("1")
  expect(remoteIn('[core]\nurl = x\n[remote "origin"]\nfetch = y')).toBeUndefined()
  expect(remoteIn("")).toBeUndefined()
})
