import type { HostParts } from '../create-host.ts'
import type { Implementer } from '../router.ts'

export function eventHandlers(os: Implementer, { projects }: HostParts) {
  return {
    subscribe: os.events.subscribe.handler(async function* ({ input, signal }) {
      yield* projects.get(input.projectId).events.subscribe(input.after, signal ?? new AbortController().signal)
    }),
  }
}
