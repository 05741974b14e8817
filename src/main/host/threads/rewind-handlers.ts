import { unwrap } from '#core/commands/command.ts'
import { findCheckpoint, forkThread, redoOf } from '#core/commands/rewind.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import { requireStored } from '../models/provider.ts'
import { editMessage, haltAndRewind } from './rewind-flow.ts'
import { previewRewind, rewindDiff } from './rewind-preview.ts'

export function rewindHandlers(os: Implementer, { projects, provider }: HostParts) {
  return {
    preview: os.rewind.preview.handler(({ input }) => previewRewind(projects.get(input.projectId), input)),
    diff: os.rewind.diff.handler(({ input }) => rewindDiff(projects.get(input.projectId), input)),
    to: os.rewind.to.handler(({ input: { projectId, ...command } }) =>
      haltAndRewind(projects.get(projectId), { ...command, undoes: null }),
    ),
    redo: os.rewind.redo.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      return haltAndRewind(project, unwrap(redoOf(project.services.log, input.threadId, input.sequence)))
    }),
    fork: os.rewind.fork.handler(async ({ input }) => {
      const { services, run } = projects.get(input.projectId)
      return { threadId: run(forkThread(services, input, input.title)).answer }
    }),
    edit: os.rewind.edit.handler(async ({ input: { projectId, ...message } }) => {
      const project = projects.get(projectId)
      const { thread } = unwrap(findCheckpoint(project.services.log, message))
      if (thread) requireStored(provider, thread.model)
      return editMessage(project, message)
    }),
  }
}
