import { type CommandLine, placeFlags, UsageError } from '../arguments.ts'
import { lineOf } from '../screen/spans.ts'
import { answerAboutThread, doWithEach, failureLines, failuresOf, findNamedBranches, pathsOf } from '../thread-verb.ts'

/** `coppice discard`: drops branches, or takes some of their files back. */
export function discard(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async ({ client, project, projectId, thread }) => {
    const words = line.positionals.slice(1)
    if (words.length === 0) throw new UsageError('discard needs branches. "coppice branches THREAD" lists them.')
    const branches = findNamedBranches(project.services.log.state, thread, words)
    const paths = pathsOf(line)
    const outcomes = await doWithEach(branches, ({ id: branchId }) =>
      client.branches.discard({ projectId, branchId, paths }),
    )
    const { done, code } = outcomes
    const what = paths === null ? 'the branch' : `the changes of ${paths.join(', ')} in`
    return {
      value: {
        threadId: thread.id,
        discarded: done.map(({ branch: { id, handle, name }, result: { sequence } }) => ({
          ...{ branchId: id, handle, name, paths, sequence },
        })),
        failed: failuresOf(outcomes),
      },
      lines: [
        ...done.map(({ branch: { name } }) => lineOf(`Discarded ${what} ${name}.`, 'good')),
        ...failureLines(outcomes),
        ...(done.length > 0 ? [lineOf(`  coppice undo ${thread.id.slice(0, 8)}${placeFlags(line)}`, 'accent')] : []),
      ],
      ...(code !== null && { code }),
    }
  })
}
