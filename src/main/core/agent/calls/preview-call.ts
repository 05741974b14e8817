import { emptyTree, type LeafChange, patchTree, type Tree, walk } from '#overlay'
import type { JsonObject } from '#shared/base/json.ts'
import { openOutcome } from '#shared/model/calls/call.ts'
import type { Outcome } from '#shared/model/calls/outcome.ts'
import type { BlobHash, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { sameNode } from '#shared/model/patch.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { accessOf } from '#shared/tools/tool-facts.ts'
import type { FileEffect } from '../../approval/effects.ts'
import { BaseTreeError } from '../../ports/base-tree.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { Hashing } from '../../ports/hashing.ts'
import type { ToolFiles } from '../../tools/namespace/prefixes.ts'
import { routeOf } from '../../tools/namespace/routes.ts'
import type { Tool, ToolOutput } from '../../tools/tool.ts'
import type { AgentServices } from '../types/services.ts'
import type { CallWorkspace } from './call-context.ts'
import { fitArguments } from './fit-arguments.ts'
import { resultIn } from './record-outcome.ts'
import { toolContext } from './run-call.ts'

/** What a call would do if it ran now. Nothing is stored. */
export interface CallPreview {
  /** The branch as it was when the preview began. */
  readonly before: Tree
  /** Equal to `before` when the call would fail or change no file. */
  readonly after: Tree
  /** Files that it would change beside the project, such as memories; sorted by path. */
  readonly stores: readonly LeafChange[]
  /** What it would do to files behind the routes that the person added. */
  readonly routed: readonly FileEffect[]
  /** Holds the content of `after` and `stores`, and all content of the project. */
  readonly blobs: BlobStore
  /** Output of the run. `ok` is false when the call would fail. */
  readonly output: ToolOutput
}

export interface PreviewedCall {
  /** The thread that the call waits in. */
  readonly threadId: ThreadId
  /** Unique within its thread's family. */
  readonly callId: ToolCallId
  /** Only one that names the files which it changes, or that can say what it would do. */
  readonly tool: Tool
  /** The arguments that would run: the call's own, or a person's edit of them. */
  readonly args: JsonObject
  /**
   * Opens the branch as it is now, with the given store for new content. The files of real folders among `written` can
   * be changed, because a preview never reaches the disk.
   */
  openWorkspace(blobs: BlobStore, written: readonly VirtualPath[]): CallWorkspace
  /** Ends the preview; it then throws the signal's reason. */
  readonly signal: AbortSignal
}

/** What an edit of files or a merge would do, on a branch that is thrown away. Undefined for all other calls. */
export async function previewCall(services: AgentServices, call: PreviewedCall): Promise<CallPreview | undefined> {
  const { threadId, callId, tool, args, signal } = call
  const { parsed } = fitArguments(tool.schema, args)
  const thread = services.log.state.threads.get(threadId)
  const isFileEdit = tool.runsAside !== undefined && tool.access.writes.length > 0
  const preview = tool.preview ?? (isFileEdit ? tool.run : undefined)
  if (!preview || !parsed.success || !thread) return undefined
  const blobs = createPassingBlobs(services.blobs, services.hashing)
  const { writes } = accessOf(tool.access, args)
  const untouched = call.openWorkspace(blobs, [])
  const workspace = call.openWorkspace(blobs, writes)
  const context = toolContext(thread, workspace, { callId, hosts: [], signal, onOutput: () => {} })
  const output = await preview(parsed.data, context)
  const written = writes.filter((path) => routeOf(services.routes, path) !== undefined)
  const stores = await storeChanges(written, untouched.files, workspace.files, blobs)
  const merged = (output.entries ?? []).flatMap((entry) =>
    entry.type === 'branch.merged' && entry.into === thread.branchId ? [entry.patch] : [],
  )
  const after = output.ok ? merged.reduce(patchTree, workspace.branch.tree) : workspace.branch.tree
  const routed = output.ok ? await workspace.effectsBeside() : []
  return { before: untouched.branch.tree, after, stores, routed, blobs, output }
}

/** What keeping an outcome would change: exactly what the call did. Nothing runs. */
export function previewOutcome(
  { log, blobs }: Pick<AgentServices, 'log' | 'blobs'>,
  thread: ThreadState,
  outcome: Outcome,
): CallPreview {
  const before = groundBelow(thread, outcome, log.trees.heads.get(thread.branchId) ?? emptyTree)
  const result = resultIn({ blobs }, outcome)
  return {
    before,
    after: patchTree(before, outcome.patch),
    stores: outcome.places.map(({ path, blob, was }) => ({
      path,
      before: fileOf(blobs, was ?? null),
      after: fileOf(blobs, blob),
    })),
    routed: [],
    blobs,
    output: { ok: result.outcome === 'ok', content: result.content },
  }
}

function fileOf(blobs: Pick<BlobStore, 'get'>, blob: BlobHash | null): FileNode | null {
  return blob === null ? null : { kind: 'file', blob, size: blobs.get(blob).length, executable: false }
}

/** The branch with what the kept back calls below this one changed. */
function groundBelow(thread: ThreadState, { after }: Outcome, head: Tree): Tree {
  const call = after === null ? undefined : thread.calls.get(after)
  const below = call ? openOutcome(call) : null
  return below === null ? head : patchTree(groundBelow(thread, below, head), below.patch)
}

/** The files at and below the paths that differ, sorted by path. */
async function storeChanges(
  paths: readonly VirtualPath[],
  before: ToolFiles,
  after: ToolFiles,
  blobs: BlobStore,
): Promise<readonly LeafChange[]> {
  const files = new Set<VirtualPath>()
  for (const path of paths)
    for (const side of [before, after]) for (const file of await filesBelow(side, path)) files.add(file)
  const changes: LeafChange[] = []
  for (const path of [...files].sort())
    changes.push({ path, before: await nodeAt(before, path, blobs), after: await nodeAt(after, path, blobs) })
  return changes.filter((change) => !sameNode(change.before, change.after))
}

/** The file at the path, or the files of the folder there and of its folders; empty where there is nothing. */
async function filesBelow(files: ToolFiles, path: VirtualPath): Promise<readonly VirtualPath[]> {
  const node = await files.stat(path)
  if (node?.kind !== 'directory') return node ? [path] : []
  const { entries } = await walk(files, path)
  return entries.filter((entry) => entry.node.kind === 'file').map((entry) => entry.path)
}

async function nodeAt(files: ToolFiles, path: VirtualPath, blobs: BlobStore): Promise<FileNode | null> {
  const node = await files.stat(path)
  if (node?.kind !== 'file') return null
  const bytes = await readStored(files, path)
  if (!bytes) return { kind: 'file', blob: unread, size: node.size, executable: false, large: { path, gitId: '' } }
  return { kind: 'file', blob: blobs.put(bytes), size: bytes.length, executable: false }
}

/** Stands for the content of every large file. Large files are never written, so one does not replace another. */
const unread = '' as BlobHash

/** Undefined for a large file. */
async function readStored(files: ToolFiles, path: VirtualPath): Promise<Uint8Array | undefined> {
  try {
    return await files.read(path)
  } catch (error) {
    if (error instanceof BaseTreeError && error.code === 'too_large') return undefined
    throw error
  }
}

type FileNode = Extract<TreeNode, { kind: 'file' }>

/** Keeps new content in memory, so that a preview never writes to the store. */
function createPassingBlobs(store: BlobStore, hashing: Hashing): BlobStore {
  const taken = new Map<BlobHash, Uint8Array>()
  return {
    ...store,
    put(bytes) {
      const hash = hashing.hash(bytes)
      taken.set(hash, bytes)
      return hash
    },
    get: (hash) => taken.get(hash) ?? store.get(hash),
  }
}
