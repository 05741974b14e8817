import { outlineOf } from '#shared/model/derived/outline.ts'
import type { HostParts } from '../composition/host-parts.ts'
import type { Implementer } from '../composition/router.ts'
import { followOutside } from '../events/outside-changes.ts'

/** Entries that a page can read before a person needs anything else. */
const readAtOnce = 4_000

export function eventHandlers(os: Implementer, { options, projects }: HostParts) {
  return {
    outline: os.events.outline.handler(({ input }) => {
      const { state } = projects.get(input.projectId).services.log
      const outline = state.sequence > readAtOnce ? outlineOf(state, input.threadId) : null
      return { last: state.sequence, outline }
    }),
    // Refuse before the stream starts. An error inside a stream does not reach the client as a refusal.
    subscribe: os.events.subscribe.handler(async ({ input, signal }) =>
      projects.get(input.projectId).events.subscribe(input.after, signal ?? new AbortController().signal),
    ),
    outside: os.events.outside.handler(async ({ input, signal }) => {
      const rootFolder = input.projectId === null ? null : projects.get(input.projectId).rootFolder
      return followOutside(options, rootFolder, signal ?? new AbortController().signal)
    }),
  }
}
