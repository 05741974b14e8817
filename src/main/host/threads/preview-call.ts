import { changedFile, leafChanges, treeHash } from '#overlay'
import type { JsonObject } from '#shared/base/json.ts'
import type { CallPreviewView, FileDiff } from '#shared/contract/views/files.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { fileDiff } from '../branches/compare-branches.ts'
import type { Project } from '../project/project.ts'

/** More files than a person can look at. The card says how many more there are. */
const maxFiles = 30

/** The changes of a waiting call, as the approval card shows them. */
export async function previewWaitingCall(
  project: Project,
  call: { readonly threadId: ThreadId; readonly callId: ToolCallId; readonly args: JsonObject | undefined },
  signal: AbortSignal = new AbortController().signal,
): Promise<CallPreviewView> {
  const preview = await project.runtime.preview(call.threadId, call.callId, call.args, signal)
  if (!preview) return { kind: 'arguments' }
  const { before, after, blobs, stores, output } = preview
  if (!output.ok) return { kind: 'files', files: [], more: 0, foldersOnly: false, problem: textOf(output.content) }
  const sources = { ...project.services, blobs }
  const seen = { ...project, services: sources }
  const changes = await leafChanges(sources.base, before, after)
  const renamed = new Set(changes.flatMap(({ renamedFrom }) => renamedFrom ?? []))
  const paths = changes.map(({ path }) => path).filter((path) => !renamed.has(path))
  const files: FileDiff[] = []
  for (const path of paths.slice(0, maxFiles))
    files.push(await fileDiff(seen, path, await changedFile(sources, before, after, path)))
  for (const change of stores.slice(0, maxFiles - files.length)) files.push(await fileDiff(seen, change.path, change))
  const more = paths.length + stores.length - files.length
  const { hashing } = project.services
  const foldersOnly = files.length === 0 && treeHash(before, hashing) !== treeHash(after, hashing)
  return { kind: 'files', files, more, foldersOnly, problem: null }
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map(({ text = '' }) => text).join('')
}
