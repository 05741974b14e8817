import { readFamily } from '#core/journal/read-thread.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'

export function processHandlers(os: Implementer, { projects }: HostParts) {
  const processesOf = (projectId: Parameters<typeof projects.get>[0]) => projects.get(projectId).runtime.processes
  return {
    list: os.processes.list.handler(async ({ input: { projectId, threadId } }) => {
      const { services, runtime } = projects.get(projectId)
      return readFamily(services.log, threadId)
        .flatMap(({ id }) => runtime.processes.list(id))
        .sort((a, b) => a.startedAt - b.startedAt)
    }),
    output: os.processes.output.handler(async ({ input: { projectId, threadId, processId, bytes } }) => {
      const processes = processesOf(projectId)
      const end = processes.output(threadId, processId, Number.POSITIVE_INFINITY)?.next
      const output = end === undefined ? end : processes.output(threadId, processId, Math.max(0, end - bytes))
      if (!output) throw new WireError('NOT_FOUND', 'The output of this process is not kept any more.')
      return output
    }),
    stop: os.processes.stop.handler(({ input: { projectId, threadId, processId } }) =>
      processesOf(projectId).stop(threadId, processId, 'person'),
    ),
    keep: os.processes.keep.handler(async ({ input: { projectId, threadId, processId, isKept } }) =>
      processesOf(projectId).keep(threadId, processId, isKept),
    ),
    openPreview: os.processes.openPreview.handler(async ({ input: { projectId, branchId, port } }) => {
      const url = await processesOf(projectId).openPreview(branchId, port)
      if (url === null) throw new WireError('NOT_FOUND', `Nothing listens on port ${port} of this branch any more.`)
      return { url }
    }),
  }
}
