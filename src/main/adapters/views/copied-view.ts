import { join } from 'node:path'
import type { BranchView, ViewEntry } from '#core/ports/branch-views.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { capture } from './capture.ts'
import { copyTree } from './copy-tree.ts'
import { takeManifest } from './manifest.ts'
import { createEntryPreparer } from './prepare-entry.ts'
import { emptied, makeParts, removeTree } from './view-folder.ts'
import { createViewRules, rulesIn } from './view-rules.ts'
import { writeOverlay } from './write-overlay.ts'

export interface CopiedViewOptions {
  readonly folder: string
  readonly rootFolder: string | null
  readonly hidden: VirtualPath | null
  readonly overlay: readonly ViewEntry[]
  readonly release: () => void
}

/** A private copy of the project, made to look like the branch. */
export async function openCopiedView(options: CopiedViewOptions, signal: AbortSignal): Promise<BranchView> {
  const { folder, rootFolder, hidden, overlay, release } = options
  try {
    const { files, home, tmp } = await makeParts(folder, ['files', 'home', 'tmp'])
    if (rootFolder !== null) await copyTree(rootFolder, files, hidden, signal)
    await writeOverlay(files, overlay)
    const before = await takeManifest(files, createEntryPreparer(files, rootFolder))
    return {
      folder: files,
      home,
      temporary: tmp,
      givenUp: [],
      enter: (program) => program,
      async capture() {
        const after = await takeManifest(files)
        return capture({
          files,
          rootFolder,
          overlay,
          before,
          after,
          rules: createViewRules(rootFolder, (path) => rulesIn(join(files, path))),
        })
      },
      empty: () => emptied(files),
      async [Symbol.asyncDispose]() {
        await removeTree(folder)
        release()
      },
    }
  } catch (error) {
    await removeTree(folder)
    throw error
  }
}
