import { useCallback, useEffect, useMemo, useState } from "react"
import type { ContextQuestion } from "../../../src/recall/browse/app-api.ts"
import { useSearchValues } from "../../parts/use-search-values.ts"

/** What the form holds; `paths` as they are typed, with commas between. */
export type Question = { agent: string; project: string; task: string; paths: string; budget: number }

export const usualBudget = 2000
const quietTime = 250

/** The question as it is typed, and as it is asked once the typing pauses. The address follows, and leads back to it. */
export function useQuestion(): [typed: Question, asked: ContextQuestion, change: (part: Partial<Question>) => void] {
  const [values, changeAddress] = useSearchValues()
  const inAddress = useMemo(() => readQuestion(values), [values])
  const [typed, setTyped] = useState(inAddress)
  const [known, setKnown] = useState(inAddress)
  if (!isSame(known, inAddress)) {
    setKnown(inAddress)
    setTyped(inAddress)
  }
  useEffect(() => {
    if (isSame(typed, inAddress)) return
    const timer = setTimeout(() => {
      setKnown(typed)
      changeAddress(toSearchValues(typed), { replace: true })
    }, quietTime)
    return () => clearTimeout(timer)
  }, [typed, inAddress, changeAddress])
  const change = useCallback((part: Partial<Question>) => setTyped((question) => ({ ...question, ...part })), [])
  return [typed, useMemo(() => toAsk(inAddress), [inAddress]), change]
}

function readQuestion(values: URLSearchParams): Question {
  const budget = Number(values.get("budget") ?? usualBudget)
  return {
    agent: values.get("agent") ?? "",
    project: values.get("project") ?? "",
    task: values.get("task") ?? "",
    paths: values.get("paths") ?? "",
    budget: Number.isSafeInteger(budget) && budget >= 0 ? budget : usualBudget,
  }
}

function toSearchValues({ agent, project, task, paths, budget }: Question): Record<string, string | null> {
  return { agent, project, task, paths, budget: budget === usualBudget ? null : String(budget) }
}

function toAsk({ agent, project, task, paths, budget }: Question): ContextQuestion {
  const files = paths.split(",").flatMap((path) => (path.trim() === "" ? [] : path.trim()))
  return {
    task,
    budget,
    ...(agent === "" ? {} : { agent }),
    ...(project === "" ? {} : { project }),
    ...(files.length === 0 ? {} : { paths: files }),
  }
}

function isSame(one: Question, other: Question): boolean {
  const keys = ["agent", "project", "task", "paths", "budget"] as const
  return keys.every((key) => one[key] === other[key])
}
