import type { ListedLog } from '#core/journal/project-log.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { outlineOf, shownThread } from '#shared/model/derived/outline.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { followOutside } from './outside-changes.ts'

/** Entries that a page can read before a person needs anything else. */
const readAtOnce = 4_000

function isLong({ state }: Pick<ListedLog, 'state'>): boolean {
  return state.sequence > readAtOnce
}

async function* nothing(): AsyncGenerator<readonly CoppiceEvent[], void> {}

export function eventHandlers(os: Implementer, { options, projects }: HostParts) {
  return {
    outline: os.events.outline.handler(({ input }) => {
      const { log } = projects.get(input.projectId).services
      const last = log.state.sequence
      if (!isLong(log)) return { last, outline: null }
      const families = log.families()
      const shown = shownThread(log.state, families, input.threadId)
      if (shown !== undefined) log.load([shown])
      return { last, outline: outlineOf(log.state, families, shown ?? null) }
    }),
    family: os.events.family.handler(({ input }) => {
      const { log } = projects.get(input.projectId).services
      const root = log.rootOf(input.threadId)
      if (root === undefined) throw new WireError('NOT_FOUND', 'There is no such thread.')
      return { root, ...log.familyPiece({ family: root, after: input.after, limit: input.limit }) }
    }),
    // Refuse before the stream starts. An error inside a stream does not reach the client as a refusal.
    subscribe: os.events.subscribe.handler(async ({ input, signal }) => {
      const project = projects.get(input.projectId)
      if (input.after === null && isLong(project.services.log)) return nothing()
      return project.events.subscribe(input.after ?? 0, signal ?? new AbortController().signal)
    }),
    outside: os.events.outside.handler(async ({ input, signal }) => {
      const rootFolder = input.projectId === null ? null : projects.get(input.projectId).rootFolder
      return followOutside(options, rootFolder, signal ?? new AbortController().signal)
    }),
  }
}
