import type { BranchProcesses } from '#core/agent/processes/branch-processes.ts'
import { findBranch } from '#core/commands/branches.ts'
import { unwrap } from '#core/commands/command.ts'
import { readFamily } from '#core/journal/read-thread.ts'
import { BranchMountError } from '#core/ports/branch-mounts.ts'
import { ShellError } from '#core/ports/shell.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId, ProcessId } from '#shared/model/ids.ts'
import { noScripts } from '#shared/model/setup.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'

/** What keeps it from starting is a refusal. */
async function startRun(processes: BranchProcesses, branchId: BranchId, command: string): Promise<ProcessId> {
  try {
    const started = await processes.startForPerson(branchId, command)
    if (!started.ok) throw new WireError('REFUSED', started.error)
    return started.value.id
  } catch (error) {
    if (!(error instanceof ShellError) && !(error instanceof BranchMountError)) throw error
    throw new WireError('REFUSED', error.message)
  }
}

export function processHandlers(os: Implementer, { projects }: HostParts) {
  const processesOf = (projectId: Parameters<typeof projects.get>[0]) => projects.get(projectId).runtime.processes
  const scriptsOf = async (projectId: Parameters<typeof projects.get>[0]) => {
    const { setup, info } = projects.get(projectId)
    return info().trusted ? await setup.scripts() : noScripts
  }
  return {
    scripts: os.processes.scripts.handler(async ({ input: { projectId } }) => {
      const { runs, ports } = await scriptsOf(projectId)
      return { runs, ports }
    }),
    start: os.processes.start.handler(async ({ input: { projectId, branchId, name, command } }) => {
      const { services } = projects.get(projectId)
      const { status } = unwrap(findBranch(services, branchId))
      if (status !== 'open') throw new WireError('REFUSED', 'This branch is not open any more.')
      const { runs } = await scriptsOf(projectId)
      if (!runs.some((run) => run.name === name && run.command === command))
        throw new WireError('REFUSED', `The project does not name this command for ${name} any more.`)
      return { processId: await startRun(processesOf(projectId), branchId, command) }
    }),
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
