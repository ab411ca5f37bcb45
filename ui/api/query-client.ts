import { QueryClient } from "@tanstack/react-query"
import { ApiError } from "./fetch-json.ts"

/** Answers stay good until a live event says otherwise or another page asks the same, for not all is told; only a server out of reach is asked again. */
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
