import type { ApplyReceipt, ApplyTarget } from '#shared/contract/views/branches.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { plural } from '#shared/text/plural.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, placeFlags, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { answerAboutThread, pathsOf, type ThreadPlace } from '../thread-verb.ts'

/** `coppice apply`: writes a thread's changes to its folder, all or nothing. */
export function apply(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async (place) => {
    const { client, projectId, thread } = place
    const paths = pathsOf(line)
    const { files } = await client.changes.planApply({ projectId, branchId: thread.branchId, paths })
    requirePaths(paths, files)
    const blocked = files.filter(({ state }) => state !== 'ready')
    if (line.flag('dry-run') || blocked.length > 0 || files.length === 0)
      return planAnswer(place, files, { isBlocked: blocked.length > 0 })
    const expected = files.map(({ path, identity }) => ({ path, identity }))
    const along = files.flatMap(({ companions = [] }) => companions.map(({ path, identity }) => ({ path, identity })))
    const receipt = await client.changes.apply({ projectId, branchId: thread.branchId, paths, expected, along })
    return receiptAnswer(line, place, receipt)
  })
}

/** Throws `UsageError` for a path of `--paths` below which nothing is changed. */
function requirePaths(paths: readonly VirtualPath[] | null, files: readonly ApplyTarget[]): void {
  const empty = paths?.find((one) => !files.some(({ path }) => isWithin(path, one)))
  if (empty !== undefined)
    throw new UsageError(
      `--paths: the thread changed nothing at ${empty}. "coppice diff THREAD --stat" lists its changes.`,
    )
}

function planAnswer(
  { project, thread }: ThreadPlace,
  files: readonly ApplyTarget[],
  { isBlocked }: { readonly isBlocked: boolean },
): VerbAnswer {
  const folder = project.info().path
  const lines: readonly Line[] = files.map(({ path, kind, state, why }) => [
    { text: state === 'ready' ? '  ready    ' : `  ${state.padEnd(9)}`, tone: state === 'ready' ? 'good' : 'warn' },
    { text: path },
    { text: `  ${why ?? kind}`, tone: 'dim' },
  ])
  const head = files.length === 0 ? lineOf('No changes: there is nothing to apply.', 'dim') : lineOf(`To ${folder}:`)
  const next = lineOf(
    'Nothing was written. Take the files back into the thread in the window, or name others with --paths.',
    'warn',
  )
  return {
    value: { threadId: thread.id, folder, applied: false, files },
    lines: [head, ...lines, ...(isBlocked ? [next] : [])],
    ...(isBlocked && { code: exitCodes.interrupted }),
  }
}

function receiptAnswer(line: CommandLine, { project, thread }: ThreadPlace, receipt: ApplyReceipt): VerbAnswer {
  const folder = project.info().path
  const { written, deleted, sequence } = receipt
  return {
    value: { threadId: thread.id, folder, applied: true, written, deleted, sequence },
    lines: [
      lineOf(
        `Applied to ${folder}: ${plural(written.length, 'file', 'files')} written, ${deleted.length} deleted.`,
        'good',
      ),
      lineOf(`  coppice undo ${thread.id.slice(0, 8)}${placeFlags(line)}`, 'accent'),
    ],
  }
}
