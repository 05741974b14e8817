import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import type { BranchView, BranchViews, ViewMeans, ViewRequest } from '#core/ports/branch-views.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openCopiedView } from './copied-view.ts'
import { folderBytes } from './folder-bytes.ts'
import { createOverlayViews, type OverlayViews } from './overlay-views.ts'
import { probeMeans } from './probe.ts'
import { createTurns } from './turns.ts'
import { removeAllIn, removeTree } from './view-folder.ts'

export interface BranchViewsOptions {
  /** Null for a scratch workspace: views begin empty. */
  readonly rootFolder: string | null
  /** In the data folder, this project's own: what is in it is removed at the start. */
  readonly viewsFolder: string
  /** A folder in the project that is not part of it: views do not show it. */
  readonly hidden?: VirtualPath | null
  /** Finds out what the system can; asked once. */
  readonly probe?: (viewsFolder: string, rootFolder: string | null) => Promise<ViewMeans>
}

export function createBranchViews(options: BranchViewsOptions): BranchViews {
  const { rootFolder, hidden = null, probe = probeMeans } = options
  const viewsFolder = outsideOf(rootFolder, options.viewsFolder)
  const turns = createTurns()
  const overlays = new Map<string, Promise<OverlayViews>>()
  let probed: Promise<ViewMeans> | undefined
  const swept = removeAllIn(viewsFolder)

  async function means(): Promise<ViewMeans> {
    await swept
    await mkdir(viewsFolder, { recursive: true, mode: 0o700 })
    probed ??= probe(viewsFolder, rootFolder)
    return probed
  }
  const folderOf = (owner: string) => join(viewsFolder, createHash('sha256').update(owner).digest('hex').slice(0, 16))

  async function openOverlay({ owner, overlay }: ViewRequest, close: () => void): Promise<BranchView> {
    const views = overlays.get(owner) ?? createOverlayViews(folderOf(owner), rootFolder)
    overlays.set(owner, views)
    const hiding = hidden === null ? [] : [{ kind: 'absent', path: hidden } as const]
    const opened = await (await views).open([...overlay, ...hiding])
    return {
      ...opened,
      async [Symbol.asyncDispose]() {
        await opened.close()
        close()
      },
    }
  }
  async function open(request: ViewRequest, signal: AbortSignal): Promise<BranchView> {
    const { kind } = await means()
    const turn = await turns.take(request.owner, signal)
    const release = () => turn[Symbol.dispose]()
    try {
      if (kind === 'overlay') return await openOverlay(request, release)
      const folder = folderOf(request.owner)
      return await openCopiedView({ folder, rootFolder, hidden, overlay: request.overlay, release }, signal)
    } catch (error) {
      release()
      throw error
    }
  }
  return {
    open,
    async remove(owner) {
      using _turn = await turns.take(owner, new AbortController().signal)
      overlays.delete(owner)
      await removeTree(folderOf(owner))
    },
    means,
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
