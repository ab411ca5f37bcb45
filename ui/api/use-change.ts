import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Changed, UndoOffer } from "../../src/web/api.ts"
import { useToast } from "../parts/toast.tsx"
import { postJson } from "./fetch-json.ts"

type After = { onDone?: (changed: Changed) => void; onUndone?: () => void }

/**
 * Posts a change, tells what was done and offers to take it back. Whatever comes of it, all that is shown is asked for anew: after a
 * conflict (`change.error instanceof ConflictError`) the caller finds the other's version in what it shows.
 */
export function useChange<Body extends object>(path: string, { onDone, onUndone }: After = {}) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const refresh = () => queryClient.invalidateQueries()

  async function takeBack({ key }: UndoOffer) {
    try {
      const { summary } = await postJson<Changed>("/api/undo", { key })
      toast.show({ text: summary })
      onUndone?.()
    } catch (error) {
      toast.show({ text: messageOf(error), isProblem: true })
    }
    await refresh()
  }

  return useMutation({
    mutationFn: (body: Body) => postJson<Changed>(path, body),
    onSuccess: (changed) => {
      const { summary, undo } = changed
      toast.show({ text: summary, ...(undo ? { onUndo: () => takeBack(undo) } : {}) })
      onDone?.(changed)
    },
    onError: (error) => toast.show({ text: messageOf(error), isProblem: true }),
    onSettled: refresh,
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
