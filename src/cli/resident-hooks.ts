import type { ResidentAnswers } from "../hooks/resident-answers.ts"
import type { Resident } from "../rpc/resident.ts"

/** Answers hooks for as long as this process does its own work. It begins a moment later, since its own client waits for it. */
export async function answeringHooks<Result>(work: () => Promise<Result>, environment = process.env): Promise<Result> {
  if (environment.DREY_RESIDENT === "off") return work()
  let opened: Promise<{ resident: Resident; answers: ResidentAnswers } | undefined> | undefined
  const timer = setTimeout(() => {
    opened = open(environment).catch(() => undefined) // hooks answer by themselves; this process has other work
  }, startAfterMs).unref()
  try {
    return await work()
  } finally {
    clearTimeout(timer)
    const { resident, answers } = (await opened) ?? {}
    await resident?.close()
    await answers?.close()
  }
}

const startAfterMs = 300

async function open(environment: NodeJS.ProcessEnv) {
  const { openResidentAnswers } = await import("../hooks/resident-answers.ts")
  const { answerHooks } = await import("../rpc/resident.ts")
  const answers = openResidentAnswers(process.argv[1] ?? "")
  return { answers, resident: answerHooks({ environment, answer: answers.answer }) }
}
