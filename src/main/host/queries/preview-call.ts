import { changedFile } from '#core/branches/merge/resolve-conflict.ts'
import { leafChanges } from '#core/overlay/changes.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { CallPreviewView, FileDiff } from '#shared/contract/views/files.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { sameNode } from '#shared/model/patch.ts'
import type { Project } from '../composition/project.ts'
import { fileDiff } from './compare-branches.ts'

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
  if (!output.ok) return { kind: 'files', files: [], more: 0, problem: textOf(output.content) }
  const sources = { ...project.services, blobs }
  const seen = { ...project, services: sources }
  const changes = await leafChanges(sources.base, before, after)
  const renamed = new Set(changes.flatMap(({ renamedFrom }) => renamedFrom ?? []))
  const paths = changes.map(({ path }) => path).filter((path) => !renamed.has(path))
  const files: FileDiff[] = []
  for (const path of paths.slice(0, maxFiles))
    files.push(await fileDiff(seen, path, await changedFile(sources, before, after, path)))
  for (const change of stores)
    if (!sameNode(change.before, change.after)) files.push(await fileDiff(seen, change.path, change))
  return { kind: 'files', files, more: Math.max(0, paths.length - maxFiles), problem: null }
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map(({ text = '' }) => text).join('')
}
