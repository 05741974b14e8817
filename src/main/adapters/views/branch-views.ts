import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import type { BranchViews, ViewRequest } from '#core/ports/branch-views.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openCopiedView } from './copied-view.ts'
import { folderBytes } from './folder-bytes.ts'
import { createTurns } from './turns.ts'
import { removeAllIn } from './view-folder.ts'

export interface BranchViewsOptions {
  /** Null for a scratch workspace: views begin empty. */
  readonly rootFolder: string | null
  /** In the data folder, this project's own: what is in it is removed at the start. */
  readonly viewsFolder: string
  /** A folder in the project that is not part of it: views do not show it. */
  readonly hidden?: VirtualPath | null
}

export function createBranchViews(options: BranchViewsOptions): BranchViews {
  const { rootFolder, hidden = null } = options
  const viewsFolder = outsideOf(rootFolder, options.viewsFolder)
  const turns = createTurns()
  const swept = removeAllIn(viewsFolder)

  async function open({ owner, overlay }: ViewRequest, signal: AbortSignal) {
    await swept
    const turn = await turns.take(owner, signal)
    try {
      const folder = join(viewsFolder, randomUUID())
      return await openCopiedView(
        { folder, rootFolder, hidden, overlay, release: () => turn[Symbol.dispose]() },
        signal,
      )
    } catch (error) {
      turn[Symbol.dispose]()
      throw error
    }
  }
  return {
    open,
    remove: async () => undefined,
    means: async () => ({ kind: 'copy', reason: 'Each command gets a full copy of the project.' }),
    storedBytes: () => folderBytes(viewsFolder),
    [Symbol.asyncDispose]: () => removeAllIn(viewsFolder),
  }
}

/** A copy of the project cannot be made inside the project. */
function outsideOf(rootFolder: string | null, viewsFolder: string): string {
  if (rootFolder === null) return viewsFolder
  const path = relative(realpathSync.native(rootFolder), viewsFolder)
  const isInside = !path.startsWith('..') && path !== viewsFolder
  return isInside ? join(tmpdir(), `coppice-${basename(dirname(viewsFolder))}-views`) : viewsFolder
}
