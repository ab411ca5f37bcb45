import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible"
import { Refusal } from "./refusal.ts"

/** How often somebody may ask; each server process counts for itself. */
export type RateLimits = {
  /** For every request of a token or sign-in. */
  countRequest(pass: string): Promise<void>
  /** For every try to sign in, by address. */
  countSignIn(address: string): Promise<void>
  /** For a token or cookie that nobody has, by address. */
  countFailure(address: string): Promise<void>
}

export type RateOptions = { requestsPerMinute: number; signInsPerMinute: number }

export function openRateLimits({ requestsPerMinute, signInsPerMinute }: RateOptions): RateLimits {
  const requests = limiter(requestsPerMinute)
  const signIns = limiter(signInsPerMinute)
  const failures = limiter(signInsPerMinute * 6)
  return { countRequest: requests, countSignIn: signIns, countFailure: failures }
}

function limiter(points: number): (key: string) => Promise<void> {
  const counts = new RateLimiterMemory({ points, duration: 60 })
  return async (key) => {
    try {
      await counts.consume(key)
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000))
      throw new Refusal(429, { error: `Too many requests: try again in ${seconds} s.`, code: "too-many" }, seconds)
    }
  }
}
