import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { createOverlayTransaction, emptyTree } from '#overlay'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'

/** A folder with files, opened in a host. The workspace of one thread can be changed as a person or an agent would. */
export async function openApplyWorld(files: Readonly<Record<string, string>>) {
  const above = mkdtempSync(join(tmpdir(), 'coppice-apply-'))
  const [folder, data] = [join(above, 'project'), join(above, 'data')]
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const host = await openTestHost(data)
  const project = await host.projects.open(folder)
  project.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  return { folder, data, ...worldOf(host, project, folder) }
}
export type ApplyWorld = ReturnType<typeof worldOf>

/** Opens the same project again after a restart of the host. */
export async function reopen({ host, folder, data }: Awaited<ReturnType<typeof openApplyWorld>>) {
  await host[Symbol.asyncDispose]()
  const again = await openTestHost(data)
  return { folder, data, ...worldOf(again, await again.projects.open(folder), folder) }
}

/** What tests do with a project that has one thread. */
export function worldOf(host: Host, project: Project, folder: string) {
  const { log, base, blobs, hashing } = project.services
  const [thread] = [...log.state.threads.values()]
  if (!thread) throw new Error('There is no thread.')
  const branchId: BranchId = thread.branchId
  const head = () => log.trees.heads.get(branchId) ?? emptyTree
  return {
    host,
    project,
    branchId,
    head,
    read: (path: string) => readFileSync(join(folder, path), 'utf8'),
    types: () => log.entries().flatMap(({ type }) => (type.startsWith('apply.') ? [type] : [])),
    async move(from: string, to: string) {
      const draft = createOverlayTransaction({ base, blobs, hashing, tree: head() })
      await draft.move(from as VirtualPath, to as VirtualPath)
      appendTo(log, [{ type: 'tree.changed', threadId: thread.id, branchId, patch: draft.patch(), callId: null }])
    },
    async write(files: Readonly<Record<string, string | Uint8Array | null>>) {
      const draft = createOverlayTransaction({ base, blobs, hashing, tree: head() })
      for (const [path, text] of Object.entries(files)) {
        if (text === null) await draft.delete(path as VirtualPath)
        else await draft.write(path as VirtualPath, typeof text === 'string' ? new TextEncoder().encode(text) : text)
      }
      appendTo(log, [{ type: 'tree.changed', threadId: thread.id, branchId, patch: draft.patch(), callId: null }])
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}
