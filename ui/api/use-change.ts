import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Changed, UndoOffer } from "../../src/web/api.ts"
import { useToast } from "../parts/toast.tsx"
import { ConflictError, postJson } from "./fetch-json.ts"

/**
 * Posts a change, tells what was done and offers to take it back; `onDone` hears of both. A conflict is left to the one who asked
 * (`change.error instanceof ConflictError`): only there can both versions be shown.
 */
export function useChange<Body extends object>(path: string, onDone?: (changed: Changed) => void) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const refresh = () => queryClient.invalidateQueries()

  async function takeBack(offer: UndoOffer) {
    try {
      const changed = await postJson<Changed>("/api/undo", { key: offer.key })
      toast.show({ text: changed.summary })
      onDone?.(changed)
    } catch (error) {
      toast.show({ text: messageOf(error), isProblem: true })
    }
    await refresh()
  }

  return useMutation({
    mutationFn: (body: Body) => postJson<Changed>(path, body),
    onSuccess: async (changed) => {
      const { summary, undo } = changed
      toast.show({ text: summary, ...(undo ? { onUndo: () => takeBack(undo) } : {}) })
      onDone?.(changed)
      await refresh()
    },
    onError: (error) => {
      if (!(error instanceof ConflictError)) toast.show({ text: messageOf(error), isProblem: true })
    },
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
