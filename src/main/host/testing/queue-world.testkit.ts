import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { noSandbox } from '#adapters/shell/sandbox.ts'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'
import type { Host } from '../wiring/create-host.ts'
import { openTestHost } from './test-host.testkit.ts'

/** Where a world with a queue of three branches lies: a project, the app's data, and what its checks write and wait for. */
export const placesIn = (above: string) => ({
  folder: join(above, 'project'),
  data: join(above, 'data'),
  /** A line with the names of the files for each run of the check. */
  runs: join(above, 'runs'),
  /** While this file is missing, the check of the second merge does not end. */
  release: join(above, 'release'),
})

/** The settings with the one check of the world. */
export function settingsOf(above: string): string {
  const { runs, release } = placesIn(above)
  const run = `echo $(ls) >> '${runs}'; [ -e c ] || [ ! -e b ] || [ -e '${release}' ] || exec sleep 1000`
  return JSON.stringify({ checks: [{ name: 'look', run, on: ['merge'] }] })
}

export function runsIn(above: string): readonly string[] {
  try {
    return readFileSync(placesIn(above).runs, 'utf8').trimEnd().split('\n')
  } catch {
    return []
  }
}

export const branches = ['a', 'b', 'c'] as readonly string[] as readonly BranchId[]

/** A host as a window has it. Its sandbox says that it is on, so that checks may run unwatched, but confines nothing. */
export function openWindowHost(above: string, frontend: 'web' | 'cli' = 'web'): Promise<Host> {
  const sandbox = async () => ({ ...noSandbox(''), state: { state: 'on', reason: '' } as const })
  return openTestHost(placesIn(above).data, undefined, {}, sandbox, frontend)
}

/** A thread with three finished branches, each with a file of its name. */
export function makeBranches({ services }: Project): void {
  const [threadId, workspace] = ['thread' as ThreadId, 'workspace' as BranchId]
  appendTo(services.log, [
    { threadId, ...threadCreated(workspace) },
    { type: 'branch.forked', threadId, branchId: workspace, ...ofThread(threadId, null), handle: null, name: 'W' },
    ...branches.flatMap((branchId) => {
      const bytes = new TextEncoder().encode(branchId)
      const node = { kind: 'file', blob: services.blobs.put(bytes), size: bytes.length, executable: false } as const
      const names = { handle: branchId as string as Handle, name: branchId as string }
      return [
        { type: 'branch.forked', threadId, branchId, ...ofThread(threadId, workspace), ...names } as const,
        {
          type: 'tree.changed',
          ...{ threadId, branchId, callId: null },
          patch: [[`/${branchId}` as VirtualPath, [null, { node, pin: null }]]],
        } as const,
      ]
    }),
  ])
}

const ofThread = (ownerThreadId: ThreadId, parentId: BranchId | null) => ({ ownerThreadId, parentId })
