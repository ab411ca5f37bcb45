import { useQueryClient } from "@tanstack/react-query"
import { useLocation } from "wouter"

/** Goes into the app after signing in: nothing that was asked before counts any more. */
export function useGoIn(): (to: string) => void {
  const queryClient = useQueryClient()
  const [, navigate] = useLocation()
  return (to) => {
    queryClient.clear()
    navigate(to, { replace: true })
  }
}
