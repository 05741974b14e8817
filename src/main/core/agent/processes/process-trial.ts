import { createOverlayTransaction, diffTrees, emptyTree, type Tree } from '#overlay'
import type { EntryFromTool } from '#shared/model/entry.ts'
import type { BranchId, ProcessId, Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import { permissionsOf } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { environmentOf } from '../../branches/branch-trees.ts'
import { BaseTreeError } from '../../ports/base-tree.ts'
import type { PlacesRequest } from '../../ports/branch-mounts.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import type { ShownChange } from '../../ports/shell.ts'
import type { FileAccess } from '../../secrets/file-access.ts'
import type { ToolContext } from '../../tools/tool.ts'
import { openTrial, type Trial } from '../../trial/open-trial.ts'
import { sameLayers } from '../../trial/outcome.ts'
import { lacksOf } from '../../trial/view-notes.ts'
import type { AgentServices } from '../types/services.ts'
import type { ViewNotes } from './process-notes.ts'

/** The trial of one process. Commands of the branch go on in trials of their own. */
export interface ProcessTrial extends Trial {
  /** What the agent must know about its files. */
  readonly notes: ViewNotes
  /** What the journal must say for commands to find the same environment. Empty when it says so, or something newer. */
  entries(callId: ToolCallId | null): readonly EntryFromTool[]
}

/** Places are shared with commands, which are captured while the process runs. So the process may only read them. */
function placesFor({ shell }: AgentServices, files: ToolContext['files'], owner: string): PlacesRequest {
  const sealed = shell.sandbox().state === 'off'
  return { owner, places: files.places().map((place) => ({ ...place, writable: false })), sealed }
}

/**
 * The trial of a command over a branch that was put away, as the branch was after an entry. No setup runs for it, and nothing
 * of the journal is about it.
 */
export async function openLastTrial(
  services: AgentServices,
  { branchId, owner, at }: { readonly branchId: BranchId; readonly owner: string; readonly at: Sequence },
  { access, branch, files, signal }: Pick<ToolContext, 'access' | 'branch' | 'files' | 'signal'>,
): Promise<ProcessTrial> {
  const places = placesFor(services, files, owner)
  const environment = environmentOf(services.log.trees, branchId, at)
  const request = {
    owner,
    access,
    branch,
    files,
    places,
    environment,
    temporaryOf: branchId,
    lifetime: 'once',
  } as const
  const trial = await openTrial(services, request, signal)
  return { ...trial, notes: { files: trial.hidden, texts: [] }, entries: () => [] }
}

/** Runs the project's setup first if it is due, as before a command. `owner` is no other mount's. */
export async function openProcessTrial(
  services: AgentServices,
  { threadId, branchId, owner }: { readonly threadId: ThreadId; readonly branchId: BranchId; readonly owner: string },
  context: Pick<ToolContext, 'access' | 'branch' | 'files' | 'signal'>,
): Promise<ProcessTrial> {
  const { log, setup } = services
  const { access, branch, files, signal } = context
  const before = environmentOf(log.trees, branchId)
  const { layers: environment, note } = await setup.prepare({ threadId, branchId }, before, signal)
  const places = placesFor(services, files, owner)
  const request = {
    owner,
    access,
    branch,
    files,
    places,
    environment,
    temporaryOf: branchId,
    lifetime: 'once',
  } as const
  const trial = await openTrial(services, request, signal)
  return {
    ...trial,
    notes: { files: trial.hidden, texts: [...(note === null ? [] : [note]), ...lacksOf(trial.view)] },
    entries(callId) {
      const isNewer = !sameLayers(environmentOf(log.trees, branchId), before)
      if (isNewer || sameLayers(environment, before)) return []
      return [{ type: 'environment.changed', branchId, layers: environment, callId }]
    },
  }
}

/** Who owns the view of a process. No other view has this owner. */
export function ownerOf(branchId: BranchId, id: ProcessId): string {
  return `${branchId} ${id}`
}

/** The head of a branch; empty for one that does not exist. */
export function headOf({ log }: Pick<AgentServices, 'log'>, branchId: BranchId): Tree {
  return log.trees.heads.get(branchId) ?? emptyTree
}

/**
 * What a running process must be shown for its files to follow the branch from one tree to another. Files that it may
 * not see are left out, by the rules of its start.
 */
export async function shownChanges(
  services: AgentServices,
  before: Tree,
  after: Tree,
  { access, hidden }: { readonly access: FileAccess; readonly hidden: readonly string[] },
): Promise<readonly ShownChange[]> {
  const moved = diffTrees(before, after).map(([path]) => path)
  return shownAt(services, after, moved, { access, hidden })
}

/** What a running program must be shown for these of its files to be as in a tree. */
export async function shownAt(
  services: AgentServices,
  tree: Tree,
  paths: Iterable<VirtualPath>,
  { access, hidden }: { readonly access: FileAccess; readonly hidden: readonly string[] },
): Promise<readonly ShownChange[]> {
  const shown: ShownChange[] = []
  for (const path of paths) {
    if (hidden.includes(path) || !access.mayReadByRules(path)) continue
    const change = await changeAt(services, tree, path)
    if (change && !(change.kind === 'file' && !access.mayShow(path, change.bytes))) shown.push(change)
  }
  return shown
}

/** What a tree has at a path, as a change to it. Undefined for a file that cannot be read, and for one that is too large. */
export async function changeAt(
  services: AgentServices,
  tree: Tree,
  path: Patch[number][0],
): Promise<ShownChange | undefined> {
  const branch = createOverlayTransaction({ ...services, tree })
  try {
    const node = await branch.stat(path)
    switch (node?.kind) {
      case undefined:
        return { kind: 'absent', path }
      case 'directory':
        return { kind: 'directory', path }
      case 'symlink':
        return { kind: 'symlink', path, target: node.target }
      case 'file':
        return { kind: 'file', path, bytes: await branch.read(path), ...permissionsOf(node) }
    }
  } catch (error) {
    if (error instanceof FileTreeError || error instanceof BaseTreeError) return undefined
    throw error
  }
}
