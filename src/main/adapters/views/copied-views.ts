import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ViewCapture } from '#core/ports/branch-views.ts'
import { ancestorsOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { capture } from './capture.ts'
import { copyTree } from './copy-tree.ts'
import { createKeptUnits } from './kept-units.ts'
import { type Manifest, takeManifest } from './manifest.ts'
import { differingPaths, type OverlayPaths, overlayPaths } from './overlay-paths.ts'
import type { OwnerViews } from './owner-views.ts'
import { createEntryPreparer } from './prepare-entry.ts'
import { emptied, ensureFolder, makeParts } from './view-folder.ts'
import { createViewRules, rulesIn, type ViewRules } from './view-rules.ts'
import { writeOverlay } from './write-overlay.ts'

/** Views as private copies of the project. Of one, only what it keeps of ignored files and `.git` outlives it. */
export async function createCopiedViews(
  folder: string,
  rootFolder: string | null,
  hidden: VirtualPath | null,
): Promise<OwnerViews> {
  const { files, home, tmp, kept } = await makeParts(folder, ['files', 'home', 'tmp', 'kept'])
  const units = createKeptUnits(kept, rootFolder)
  const rulesOfView = () => createViewRules(rootFolder, (path) => rulesIn(join(files, path)))
  let known: OverlayPaths = new Map()
  let keptNow: readonly VirtualPath[] = []

  function putAway(before: Manifest, after: Manifest, rules: ViewRules): void {
    const touched = leftOutUnits(before, after, rules)
    keptNow = [...new Set([...keptNow, ...touched])]
    for (const unit of keptNow) {
      if (!existsSync(join(files, unit))) continue
      mkdirSync(dirname(join(kept, unit)), { recursive: true })
      renameSync(join(files, unit), join(kept, unit))
    }
    units.replace(keptNow, new Set())
  }
  function bringBack(): void {
    for (const unit of keptNow) {
      rmSync(join(files, unit), { recursive: true, force: true })
      if (!existsSync(join(kept, unit))) continue
      mkdirSync(dirname(join(files, unit)), { recursive: true })
      renameSync(join(kept, unit), join(files, unit))
    }
  }
  async function empty(): Promise<void> {
    for (const part of [files, kept]) await emptied(part)
    keptNow = []
    units.replace([], new Set())
  }
  return {
    async open(overlay, signal) {
      for (const part of [files, tmp]) await emptied(part)
      await ensureFolder(home)
      if (rootFolder !== null) await copyTree(rootFolder, files, hidden, signal)
      await writeOverlay(files, overlay)
      const changed = differingPaths(known, overlayPaths(overlay))
      known = overlayPaths(overlay)
      const stale = new Set(units.takeStale([...changed], rulesOfView()))
      for (const unit of stale) rmSync(join(kept, unit), { recursive: true, force: true })
      keptNow = keptNow.filter((unit) => !stale.has(unit))
      bringBack()
      const before = await takeManifest(files, createEntryPreparer(files, rootFolder))
      let open = true
      const end = async (): Promise<ViewCapture> => {
        open = false
        const after = await takeManifest(files)
        const rules = rulesOfView()
        try {
          return await capture({ files, rootFolder, overlay, before, after, rules })
        } finally {
          putAway(before, after, rules)
          await emptied(files)
        }
      }
      return {
        ...{ folder: files, home, temporary: tmp, givenUp: [...stale], enter: (program) => program, capture: end },
        async empty() {
          open = false
          await empty()
        },
        close: async () => void (open && (await end().catch(() => undefined))),
      }
    },
  }
}

/** The topmost left-out paths at which a command changed something. */
function leftOutUnits(before: Manifest, after: Manifest, rules: ViewRules): ReadonlySet<VirtualPath> {
  const units = new Set<VirtualPath>()
  for (const [path, entry] of [...before.entries, ...after.entries]) {
    if (before.entries.get(path)?.stamp === after.entries.get(path)?.stamp) continue
    const isLeftOut = (one: VirtualPath) => rules.isLeftOut(one, one !== path || entry.kind === 'directory')
    const unit = [path, ...ancestorsOf(path)].filter(isLeftOut).at(-1)
    if (unit) units.add(unit)
  }
  return units
}
