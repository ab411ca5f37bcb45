import { useQueryClient } from "@tanstack/react-query"
import type { Changed, UndoAnswer } from "../../src/recall/browse/app-api.ts"
import { useToast } from "../parts/toast.tsx"
import { messageOf, postJson } from "./fetch-json.ts"

/** Undoes a change and shows a notice; returns whether it could. */
export function useUndo(): (offer: UndoAnswer) => Promise<boolean> {
  const queryClient = useQueryClient()
  const toast = useToast()
  return async ({ key }) => {
    try {
      const { summary } = await postJson<Changed>("/api/undo", { key })
      toast.show({ text: summary })
      return true
    } catch (error) {
      toast.show({ text: messageOf(error), isProblem: true })
      return false
    } finally {
      await queryClient.invalidateQueries()
    }
  }
}
