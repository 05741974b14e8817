import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { byFolder, type InFolder, pathFrom, pathIn } from '../paths/project-folders.ts'
import type { BaseTree } from '../ports/base-tree.ts'
import { type ApplyStep, type ApplyWatch, type DiskApply, DiskApplyError, type StepCheck } from '../ports/disk-apply.ts'

export interface FolderApply extends InFolder {
  readonly disk: DiskApply
  readonly base: BaseTree
}

interface Part {
  readonly folder: FolderApply
  readonly steps: readonly ApplyStep[]
}

/**
 * Writes to several folders, all or nothing: what cannot be written is found before the first write, and when a later folder
 * fails all the same, the earlier ones are written back.
 */
export function joinApplies(folders: readonly [FolderApply, ...FolderApply[]]): DiskApply {
  const [first] = folders
  if (folders.length === 1) return first.disk
  const check: DiskApply['check'] = async (steps) => {
    const answers = new Map<ApplyStep, StepCheck>()
    for (const [folder, own] of byFolder(folders, steps, ({ path }) => path)) {
      const checked = await folder.disk.check(own.map((step) => stepIn(folder, step)))
      for (const [at, step] of own.entries()) {
        const answer = checked[at]
        if (answer) answers.set(step, { ...answer, path: step.path })
      }
    }
    return steps.flatMap((step) => answers.get(step) ?? [])
  }
  return {
    check,
    async apply(steps, content, watch = {}) {
      const parts = [...byFolder(folders, steps, ({ path }) => path)].map(
        ([folder, own]): Part => ({ folder, steps: own.map((step) => stepIn(folder, step)) }),
      )
      if (parts.length > 1) {
        const problem = (await check(steps)).find(({ state }) => state !== 'ready')
        if (problem && problem.state !== 'ready')
          throw new DiskApplyError(problem.state, `${problem.path}: ${problem.why}`)
      }
      await applyParts(parts, content, watch)
    },
  }
}

async function applyParts(
  parts: readonly Part[],
  content: (step: ApplyStep) => Uint8Array,
  watch: ApplyWatch,
): Promise<void> {
  const total = parts.reduce((sum, { steps }) => sum + steps.length, 0)
  const undone: (() => Promise<void>)[] = []
  let before = 0
  for (const [at, { folder, steps }] of parts.entries()) {
    const start = before
    const isLast = at === parts.length - 1
    const back = isLast ? null : await keepBefore(folder, steps)
    try {
      await folder.disk.apply(steps, (step) => content({ ...step, path: pathFrom(folder, step.path) }), {
        ...watch,
        ...(watch.onProgress && {
          onProgress: (done, of) => watch.onProgress?.(start + (steps.length * done) / Math.max(of, 1), total),
        }),
      })
    } catch (error) {
      const left: VirtualPath[] = []
      for (const undo of undone.toReversed()) await undo().catch((problem) => left.push(...leftBy(problem)))
      if (!(error instanceof DiskApplyError)) throw error
      throw new DiskApplyError(error.code, error.message, [
        ...error.left.map((path) => pathFrom(folder, path)),
        ...left,
      ])
    }
    if (back) undone.push(back)
    before += steps.length
  }
}

/** Remembers what steps replace, and returns what puts it back. */
async function keepBefore(folder: FolderApply, steps: readonly ApplyStep[]): Promise<() => Promise<void>> {
  const kept = new Map<VirtualPath, Uint8Array>()
  for (const { path, before } of steps) if (before?.kind === 'file') kept.set(path, await folder.base.read(path))
  const reversed = steps.map((step) => ({ ...step, before: step.after, after: step.before })).toReversed()
  return async () => {
    try {
      await folder.disk.apply(reversed, ({ path }) => kept.get(path) ?? new Uint8Array())
    } catch {
      throw new DiskApplyError(
        'failed',
        'What was written could not be taken back.',
        steps.map(({ path }) => pathFrom(folder, path)),
      )
    }
  }
}

function leftBy(problem: unknown): readonly VirtualPath[] {
  return problem instanceof DiskApplyError ? problem.left : [rootPath]
}

function stepIn(folder: InFolder, step: ApplyStep): ApplyStep {
  return { ...step, path: pathIn(folder, step.path) }
}
