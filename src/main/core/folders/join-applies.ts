import { isLarge } from '#shared/model/tree-node.ts'
import { isWithin, rootPath } from '#shared/model/virtual-path.ts'
import { byFolder, type InFolder, pathFrom, pathIn } from '../paths/project-folders.ts'
import { type ApplyStep, type ApplyWatch, type DiskApply, DiskApplyError, type StepCheck } from '../ports/disk-apply.ts'

export interface FolderApply extends InFolder {
  readonly disk: DiskApply
}

interface Part {
  readonly folder: FolderApply
  readonly steps: readonly ApplyStep[]
}

/**
 * Writes to several folders, all or nothing: what cannot be written is found before the first write, and the apply of each
 * folder ends after that of the next one. When a later one fails all the same, the earlier ones put back what they replaced.
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
      await applyParts(parts, content, {
        ...watch,
        onProgress: (done) => watch.onProgress?.(done, steps.length),
      })
    },
  }
}

/** Reports the steps that are done. */
async function applyParts(
  [part, ...later]: readonly Part[],
  content: (step: ApplyStep) => Uint8Array,
  watch: ApplyWatch,
): Promise<void> {
  if (!part) return watch.whenWritten?.()
  const { folder, steps } = part
  let ofLater: DiskApplyError | null = null
  try {
    await folder.disk.apply(steps, (step) => content({ ...step, path: pathFrom(folder, step.path) }), {
      ...watch,
      onProgress: (done, total) => watch.onProgress?.((steps.length * done) / Math.max(total, 1), 0),
      async whenWritten() {
        const onProgress = (done: number) => watch.onProgress?.(steps.length + done, 0)
        await applyParts(later, content, { ...watch, onProgress }).catch((error: unknown) => {
          if (error instanceof DiskApplyError) ofLater = error
          throw error
        })
      },
    })
  } catch (error) {
    if (!(error instanceof DiskApplyError)) throw error
    const left = error.left.map((path) => pathFrom(folder, path))
    throw joinErrors(folder, new DiskApplyError(error.code, error.message, left), ofLater)
  }
}

/** The message of a later folder has its name already, and goes with that of the earlier one that was put back. */
function joinErrors({ root }: InFolder, { code, message, left }: DiskApplyError, ofLater: DiskApplyError | null) {
  const named = root === rootPath || ofLater !== null ? message : `In ${root}: ${message}`
  return new DiskApplyError(code, named, [...left, ...(ofLater?.left ?? [])])
}

function stepIn(folder: InFolder, step: ApplyStep): ApplyStep {
  return {
    ...step,
    path: pathIn(folder, step.path),
    before: nodeIn(folder, step.before),
    after: nodeIn(folder, step.after),
  }
}

/** A large content is named by where it is. That of another folder is never used here, so its name may stay. */
function nodeIn(folder: InFolder, node: ApplyStep['after']): ApplyStep['after'] {
  if (!isLarge(node) || !isWithin(node.large.path, folder.root)) return node
  return { ...node, large: { ...node.large, path: pathIn(folder, node.large.path) } }
}
