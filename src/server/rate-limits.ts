import { isIPv6 } from "node:net"
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible"
import { HttpRefusal } from "./refusal.ts"

/** Rate limits, counted per server process and before the database is queried. */
export type RateLimits = {
  /** Every request, by token or sign-in. */
  countRequest(pass: string): Promise<void>
  /** Every sign-in attempt, by address. */
  countSignIn(address: string): Promise<void>
  /** Every unknown token or cookie, by address. */
  countTry(address: string): Promise<void>
  /** Reverts `countTry`: the secret was valid. */
  takeBackTry(address: string): Promise<void>
}

export type RateOptions = { requestsPerMinute: number; signInsPerMinute: number }

export function openRateLimits({ requestsPerMinute, signInsPerMinute }: RateOptions): RateLimits {
  const requests = limiter(requestsPerMinute)
  const signIns = limiter(signInsPerMinute)
  const tries = limiter(signInsPerMinute * 6)
  return {
    countRequest: requests.count,
    countSignIn: (address) => signIns.count(networkOf(address)),
    countTry: (address) => tries.count(networkOf(address)),
    takeBackTry: (address) => tries.takeBack(networkOf(address)),
  }
}

/** An IPv6 host usually owns a /64, so the /64 is counted. IPv4 addresses may be IPv6-mapped. */
export function networkOf(address: string): string {
  const bare = address.replace(/^\[(.*)\](?::\d+)?$/, "$1").replace(/%.*$/, "")
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(bare)?.[1]
  if (mapped !== undefined || !isIPv6(bare)) return mapped ?? bare
  const [head = "", tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split("::")
  const [first, last] = [head, tail ?? ""].map((part) => (part === "" ? [] : part.split(":")))
  const zeros = tail === undefined ? 0 : 8 - (first?.length ?? 0) - (last?.length ?? 0)
  const groups = [...(first ?? []), ...Array<string>(zeros).fill("0"), ...(last ?? [])]
  return `${groups.slice(0, 4).join(":")}::/64`
}

function limiter(points: number) {
  const counts = new RateLimiterMemory({ points, duration: 60 })
  return {
    async count(key: string): Promise<void> {
      try {
        await counts.consume(key)
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error
        const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
        throw new HttpRefusal(
          429,
          { error: `Too many requests. Try again in ${seconds} s.`, code: "too-many" },
          seconds,
        )
      }
    },
    takeBack: async (key: string) => void (await counts.reward(key)),
  }
}
