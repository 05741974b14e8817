import type { Branch } from '#shared/model/branch.ts'
import type { GreenMergeState } from '#shared/model/check.ts'
import { tailOf } from '#shared/text/whole-characters.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { terminal } from '../screen/terminal.ts'
import type { ThreadPlace } from '../thread-verb.ts'

/** Characters of the output of a check that failed: the last ones. */
const shownOutput = 2_000

/**
 * Merges branches one after the other, each when the checks are green on the merged files. A stop takes those out that wait.
 */
export async function mergeGreen(place: ThreadPlace, branches: readonly Branch[]): Promise<VerbAnswer> {
  const { client, projectId, thread } = place
  const branchIds = branches.map(({ id }) => id)
  using _stop = terminal().onStop(() => void client.checks.cancelMerges({ projectId, branchIds }))
  if (branchIds.length > 0) {
    await client.checks.mergeGreen({ projectId, branchIds })
    await untilOver(place)
  }
  const queue = branchIds.length > 0 ? await client.checks.queue({ projectId }) : null
  const ends = branches.map((branch) => ({
    branch,
    state: queue?.branches.find(({ branchId }) => branchId === branch.id)?.state ?? ({ kind: 'cancelled' } as const),
  }))
  return {
    value: {
      threadId: thread.id,
      merges: ends.map(({ branch: { id, handle, name }, state }) => ({ branchId: id, handle, name, ...state })),
    },
    lines:
      ends.length === 0
        ? [lineOf('No open branches.', 'dim')]
        : ends.flatMap(({ branch, state }) => endLines(branch, state)),
    code: codeOf(ends.map(({ state }) => state.kind)),
  }
}

/** Waits until nothing of the queue waits or is checked any more. */
async function untilOver({ client, project, projectId }: ThreadPlace): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = async () => {
    const view = await client.checks.queue({ projectId })
    if (view?.isRunning !== true) resolve()
  }
  using _listening = project.events.listen(() => void look())
  await look()
  await promise
}

function codeOf(kinds: readonly GreenMergeState['kind'][]): number {
  if (kinds.includes('refused')) return exitCodes.failed
  if (kinds.includes('red')) return exitCodes.checks
  if (kinds.includes('conflict')) return exitCodes.interrupted
  return kinds.includes('cancelled') ? exitCodes.stopped : exitCodes.done
}

function endLines({ name }: Branch, state: GreenMergeState): readonly Line[] {
  switch (state.kind) {
    case 'merged':
      return [lineOf(`${name}: merged, its checks are green`, 'good')]
    case 'conflict':
      return [lineOf(`${name}: conflict in ${state.paths.join(', ')}`, 'warn')]
    case 'red':
      return [
        lineOf(
          `${name}: not merged, ${state.greenAlone ? 'green alone and red together' : 'red on the merged files'}`,
          'bad',
        ),
        ...state.failed.flatMap(({ check, output }) => [
          lineOf(`  ${check}`, 'bad'),
          ...tailOf(output, shownOutput)
            .trimEnd()
            .split('\n')
            .map((text) => lineOf(`  ${text}`)),
        ]),
      ]
    case 'refused':
      return [lineOf(`${name}: ${state.reason}`, 'bad')]
    default:
      return [lineOf(`${name}: taken out of the queue`, 'dim')]
  }
}
