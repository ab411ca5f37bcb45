import type { Memories } from "../drey/memories.ts"
import type { Drey } from "../drey.ts"
import type { Methods } from "./answer-line.ts"
import { contextMethods } from "./context-methods.ts"
import { episodeMethods } from "./episode-methods.ts"
import { memoryMethods } from "./memory-methods.ts"
import type { Projects } from "./open-projects.ts"
import { type ServiceState, serviceMethods } from "./service-methods.ts"

export type Served = {
  projects: Projects
  /** The project that the service was started in. */
  drey: Drey
  learning: Memories
  state: ServiceState
  stop: () => void
}

/** Everything that can be asked for on the socket. */
export function allMethods({ projects, drey, learning, state, stop }: Served): Methods {
  const methods: Methods = {
    ...contextMethods(projects, drey),
    ...memoryMethods(projects, learning),
    ...episodeMethods(projects),
    ...serviceMethods(projects, learning, { state, stop }),
  }
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, (params) => projects.serving(() => method(params))]),
  )
}
