import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MountCapture, MountChange } from '#core/ports/branch-mounts.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAsOwner } from '../system/as-owner.ts'
import type { CommandUser } from '../system/command-user.ts'
import { createBranchLayer } from './branch-layer.ts'
import { tooMuch } from './capture.ts'
import { createKeptUnits } from './kept-units.ts'
import { matchLarge } from './large-files.ts'
import { keepOnly, removeFromLayer } from './layer-folders.ts'
import { createMountBase, type MountBase } from './mount-base.ts'
import type { OwnerMounts } from './mount-folder.ts'
import { emptyFolder, ensureFolder, makeParts } from './mount-folder.ts'
import { createMountRules, type MountRules, rulesIn } from './mount-rules.ts'
import { asSetup, enterLayers, runInside } from './namespace.ts'
import { type UpperWalk, walkUpper } from './upper-walk.ts'

/** Mounts with an overlay file system. The layers stay on disk between commands, but nothing stays mounted. */
export async function createOverlayMounts(
  folder: string,
  rootFolder: string | null,
  user: CommandUser,
  mostBytes: number,
): Promise<OwnerMounts> {
  const parts = await makeParts(folder, ['base', 'files', 'work', 'branch', 'upper', 'home', 'tmp'])
  const { upper, files, home, tmp } = parts
  const layer = createBranchLayer(folder, rootFolder)
  const kept = createKeptUnits(upper, rootFolder)
  const layers = { folder, rootFolder, lower: ['branch'], upper: 'upper' }
  const enter = (program: readonly string[]) => enterLayers(layers, program, { kind: 'setup' })
  const enterWith = (sealed: readonly string[]) => (program: readonly string[], confined?: boolean) =>
    enterLayers({ ...layers, sealed }, program, confined ? user : { kind: 'person' })

  async function settle(base: MountBase): Promise<Captured> {
    try {
      const { walk, opaque, rules } = await scanMount({ upper, files, base, rootFolder, enter, mostBytes })
      const removed = removedBelow(base, upper, opaque, rules)
      const ignoredChanges = walk.uncarried + removed.ignored + (await countChanged(folder, walk.units))
      const large = await matchLarge(walk.large, [...walk.changes, ...removed.changes], base)
      if (!large) throw tooMuch()
      keepOnly(upper, walk.units, opaque)
      kept.replace(walk.units, opaque)
      const changes = [...walk.changes, ...removed.changes, ...large].sort((a, b) => byCodeUnit(a.path, b.path))
      return { changes, ignoredChanges }
    } catch (error) {
      await empty()
      throw error
    }
  }
  async function empty(): Promise<void> {
    await emptyFolder(upper)
    kept.replace([], new Set())
  }
  return {
    async open(overlay, signal, sealed) {
      const changed = await layer.sync(overlay, signal)
      const base = createMountBase(overlay, rootFolder)
      const stale = kept.takeStale(changed, rulesOver(base, rootFolder))
      for (const unit of stale) removeFromLayer(upper, unit, () => false)
      await emptyFolder(tmp)
      await ensureFolder(home)
      await writeFile(join(folder, 'opened'), '')
      let open = true
      const end = (): Promise<Captured> => {
        open = false
        return settle(base)
      }
      return {
        ...{ folder: files, home, temporary: tmp, evicted: stale, enter: enterWith(sealed), capture: end },
        async empty() {
          open = false
          await empty()
        },
        close: async () => void (open && (await end().catch(() => undefined))),
      }
    },
  }
}

type Captured = Omit<MountCapture, 'placeChanges'>

interface ScanResult {
  readonly walk: UpperWalk
  readonly opaque: ReadonlySet<VirtualPath>
  readonly rules: MountRules
}

interface LookInput {
  readonly upper: string
  readonly files: string
  readonly base: MountBase
  readonly rootFolder: string | null
  readonly enter: (program: readonly string[]) => readonly string[]
  readonly mostBytes: number
}

/**
 * Walks the upper layer. A folder that was made again lost its ignore rules, so a second walk leaves those rules out.
 */
async function scanMount({ upper, files, base, rootFolder, enter, mostBytes }: LookInput): Promise<ScanResult> {
  const lookWith = async (opaque: ReadonlySet<VirtualPath>) => {
    const rules = rulesOver(base, rootFolder, upper, opaque)
    return { rules, walk: await walkUpper({ upper, files, base, rules, mostBytes }) }
  }
  const first = await lookWith(new Set())
  const opaque = await opaqueAmong([...first.walk.shared, ...first.walk.units], { upper, base, enter })
  const lostRules = [...opaque].some((folder) => base.at(joinPath(folder, '.gitignore')))
  return { ...(lostRules ? await lookWith(opaque) : first), opaque }
}

/**
 * A folder is opaque when the layers below have an entry in it that is missing from the upper layer and from the mount.
 */
async function opaqueAmong(
  folders: readonly VirtualPath[],
  { upper, base, enter }: Pick<LookInput, 'upper' | 'base' | 'enter'>,
): Promise<ReadonlySet<VirtualPath>> {
  const witnesses = folders.flatMap((folder) => {
    if (!lookAsOwner(join(upper, folder))?.isDirectory()) return []
    for (const name of base.names(folder)) {
      const witness = joinPath(folder, name)
      if (!lookAsOwner(join(upper, witness))) return [{ folder, witness }]
    }
    return []
  })
  if (witnesses.length === 0) return new Set()
  const asked = Buffer.from(witnesses.map(({ witness }) => `.${witness}\0`).join(''))
  const ask = 'while IFS= read -r -d "" p; do if [ -e "$p" ] || [ -L "$p" ]; then echo y; else echo n; fi; done'
  const answers = (await runInside(enter(['bash', '--norc', '-c', ask]), asked)).toString().split('\n')
  return new Set(witnesses.flatMap(({ folder }, index) => (answers[index] === 'n' ? [folder] : [])))
}

/** The entries of opaque folders that the command removed. */
function removedBelow(base: MountBase, upper: string, opaque: ReadonlySet<VirtualPath>, rules: MountRules) {
  const changes: MountChange[] = []
  let ignored = 0
  for (const folder of opaque) {
    if (rules.isLeftOut(folder, true)) continue
    for (const name of base.names(folder)) {
      const path = joinPath(folder, name)
      if (lookAsOwner(join(upper, path))) continue
      if (rules.isLeftOut(path, base.at(path)?.kind === 'directory')) ignored += 1
      else changes.push({ kind: 'absent', path })
    }
  }
  return { changes, ignored }
}

/** The ignore rules after the command: from the upper layer, else from the layers below. */
function rulesOver(
  base: MountBase,
  rootFolder: string | null,
  upper?: string,
  opaque?: ReadonlySet<VirtualPath>,
): MountRules {
  return createMountRules(rootFolder, (folder) => {
    const path = joinPath(folder, '.gitignore')
    if (upper && lookAsOwner(join(upper, path))) return rulesIn(join(upper, folder))
    const before = opaque?.has(folder) ? undefined : base.at(path)
    return before?.kind === 'file' ? Buffer.from(before.read()).toString() : undefined
  })
}

const mostArguments = 500

/** Counts the kept files that changed since the mount was opened. */
async function countChanged(folder: string, units: readonly VirtualPath[]): Promise<number> {
  let count = 0
  for (let at = 0; at < units.length; at += mostArguments) {
    const places = units.slice(at, at + mostArguments).map((unit) => `${folder}/upper${unit}`)
    const newer = ['-cnewer', `${folder}/opened`, '!', '-type', 'd', '-printf', 'x']
    count += (await runInside(asSetup(['find', ...places, ...newer]))).length
  }
  return count
}
