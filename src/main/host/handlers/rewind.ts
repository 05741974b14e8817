import type { HostParts } from '../composition/host-parts.ts'
import type { Implementer } from '../composition/router.ts'
import { requireModel } from '../config/provider.ts'
import { previewRewind, rewindDiff } from '../queries/rewind-preview.ts'
import { editMessage, forkThread, redoRewind, requireCheckpoint, rewindTo } from '../rewind.ts'

export function rewindHandlers(os: Implementer, { projects, provider }: HostParts) {
  return {
    preview: os.rewind.preview.handler(({ input }) => previewRewind(projects.get(input.projectId), input)),
    diff: os.rewind.diff.handler(({ input }) => rewindDiff(projects.get(input.projectId), input)),
    to: os.rewind.to.handler(async ({ input: { projectId, threadId, to, files, conversation } }) => ({
      sequence: await rewindTo(projects.get(projectId), { threadId, to, files, conversation }),
    })),
    redo: os.rewind.redo.handler(async ({ input }) => ({
      sequence: await redoRewind(projects.get(input.projectId), input.threadId, input.sequence),
    })),
    fork: os.rewind.fork.handler(async ({ input }) => ({
      threadId: forkThread(projects.get(input.projectId), input, input.title),
    })),
    edit: os.rewind.edit.handler(async ({ input: { projectId, threadId, to, text, files } }) => {
      const project = projects.get(projectId)
      const { thread } = requireCheckpoint(project.services, { threadId, to })
      if (thread) requireModel(provider, thread.model)
      return { sequence: await editMessage(project, { threadId, to, text, files }) }
    }),
  }
}
