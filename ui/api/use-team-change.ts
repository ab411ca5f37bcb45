import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useToast } from "../parts/toast.tsx"
import { type Method, messageOf, sendJson } from "./fetch-json.ts"

type Request = { method: Method; path: string; body?: object }

export type TeamChange = Request & {
  /** The notice when it is done, unless the caller shows the result itself. */
  said?: string
  /** What takes it back, where something does. */
  undo?: Request
}

type After<Answer> = {
  onDone?: (answer: Answer) => void
  /** The caller shows what went wrong in its own place. */
  showsProblems?: boolean
}

/** Changes something about the organisation, shows a notice and offers undo; what is shown is fetched again. */
export function useTeamChange<Answer = unknown>({ onDone, showsProblems = false }: After<Answer> = {}) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const tellProblem = (error: unknown) => toast.show({ text: messageOf(error), isProblem: true })
  const takeBack = async (request: Request) => {
    try {
      await send(request)
      toast.show({ text: "Undone" })
    } catch (error) {
      tellProblem(error)
    } finally {
      await queryClient.invalidateQueries()
    }
  }
  return useMutation({
    mutationFn: (change: TeamChange) => send<Answer>(change),
    onSuccess: (answer, { said, undo }) => {
      if (said !== undefined) toast.show({ text: said, ...(undo ? { onUndo: () => takeBack(undo) } : {}) })
      onDone?.(answer)
    },
    onError: (error) => {
      if (!showsProblems) tellProblem(error)
    },
    onSettled: () => queryClient.invalidateQueries(),
  })
}

function send<Answer>({ method, path, body = {} }: Request): Promise<Answer> {
  return sendJson<Answer>(method, path, body)
}
