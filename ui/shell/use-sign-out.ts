import { useQueryClient } from "@tanstack/react-query"
import { useLocation } from "wouter"
import { isSignedOut, messageOf, postJson } from "../api/fetch-json.ts"
import { useToast } from "../parts/toast.tsx"

/** Ends the session at the server; nothing of what was shown stays in the app. */
export function useSignOut(): () => Promise<void> {
  const queryClient = useQueryClient()
  const [, navigate] = useLocation()
  const toast = useToast()
  return async () => {
    try {
      await postJson("/v1/sign-out", {})
    } catch (error) {
      if (!isSignedOut(error)) return toast.show({ text: messageOf(error), isProblem: true })
    }
    queryClient.clear()
    navigate("/sign-in")
  }
}
