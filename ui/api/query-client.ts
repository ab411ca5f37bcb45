import { QueryClient } from "@tanstack/react-query"
import { ApiError } from "./fetch-json.ts"

/** Answers are fresh until a live event invalidates them or another page asks the same, since not everything has an event; only an unreachable server is retried. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 60_000,
        refetchOnMount: "always",
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < 2 && error instanceof ApiError && error.status === 0,
      },
    },
  })
}
