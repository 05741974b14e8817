import type { HostParts } from '../create-host.ts'
import type { Implementer } from '../router.ts'

export function eventHandlers(os: Implementer, { projects }: HostParts) {
  return {
    // A refusal must come before the stream does: what a stream throws is no refusal to the client.
    subscribe: os.events.subscribe.handler(async ({ input, signal }) =>
      projects.get(input.projectId).events.subscribe(input.after, signal ?? new AbortController().signal),
    ),
  }
}
