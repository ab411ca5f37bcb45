import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Changed } from "../../src/recall/browse/app-api.ts"
import { useToast } from "../parts/toast.tsx"
import { messageOf, postJson } from "./fetch-json.ts"
import { useUndo } from "./use-undo.ts"

type After = {
  onDone?: (changed: Changed) => void
  onUndone?: () => void
  /** The caller shows what went wrong in its own place. */
  showsProblems?: boolean
}

/**
 * Posts a change, shows a notice and offers undo. In any case, everything shown is fetched again: after a
 * conflict (`change.error instanceof ConflictError`) the caller finds the other's version in what it shows.
 */
export function useChange<Body extends object>(path: string, { onDone, onUndone, showsProblems }: After = {}) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const undo = useUndo()
  return useMutation({
    mutationFn: (body: Body) => postJson<Changed>(path, body),
    onSuccess: async (changed) => {
      const { summary, undo: offer } = changed
      const onUndo = async () => {
        if (offer && (await undo(offer))) onUndone?.()
      }
      toast.show({ text: summary, ...(offer ? { onUndo } : {}) })
      // the next change must name the version that this one has made
      if (changed.id !== null) await queryClient.invalidateQueries({ queryKey: ["item"] })
      onDone?.(changed)
    },
    onError: (error) => {
      if (!showsProblems) toast.show({ text: messageOf(error), isProblem: true })
    },
    onSettled: () => queryClient.invalidateQueries(),
  })
}
