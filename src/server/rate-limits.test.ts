import { expect, test } from "vitest"
import { networkOf, openRateLimits } from "./rate-limits.ts"

test("addresses of one IPv6 network count as one, and other addresses separately", () => {
  const one = [
    "2001:db8:1:2::1",
    "2001:db8:1:2:ffff::",
    "2001:0DB8:1:2:3:4:5:6",
    "[2001:db8:1:2::9]:443",
    "2001:db8:1:2::1%eth0",
  ]
  expect(new Set(one.map(networkOf))).toEqual(new Set(["2001:db8:1:2::/64"]))
  expect(networkOf("2001:db8:1:3::1")).toBe("2001:db8:1:3::/64")
  expect(networkOf("::1")).toBe("0:0:0:0::/64")
  expect(networkOf("2001:db8::")).toBe("2001:db8:0:0::/64")
  expect(["203.0.113.7", "::ffff:203.0.113.7", "unknown", ""].map(networkOf)).toEqual([
    "203.0.113.7",
    "203.0.113.7",
    "unknown",
    "",
  ])
})

test("a client that changes its IPv6 address with every try still has to wait", async () => {
  const limits = openRateLimits({ requestsPerMinute: 10, signInsPerMinute: 3 })
  const from = (at: number) => `2001:db8:1:2::${at.toString(16)}`
  for (let at = 0; at < 3; at++) await limits.countSignIn(from(at))
  await expect(limits.countSignIn(from(3))).rejects.toMatchObject({ status: 429 })
  await limits.countSignIn("2001:db8:1:3::1")
  for (let at = 0; at < 18; at++) await limits.countTry(from(at))
  await expect(limits.countTry(from(18))).rejects.toMatchObject({ status: 429 })
})
