import { type CommandLine, placeFlags, UsageError } from '../arguments.ts'
import { lineOf } from '../screen/spans.ts'
import { answerAboutThread, findNamedBranches, pathsOf } from '../thread-verb.ts'

/** `coppice discard`: drops branches, or takes some of their files back. */
export function discard(line: CommandLine): Promise<number> {
  return answerAboutThread(line, async ({ client, project, projectId, thread }) => {
    const words = line.positionals.slice(1)
    if (words.length === 0) throw new UsageError('discard needs branches. "coppice branches THREAD" lists them.')
    const branches = findNamedBranches(project.services.log.state, thread, words)
    const paths = pathsOf(line)
    const discarded: object[] = []
    for (const { id: branchId, handle, name } of branches) {
      const { sequence } = await client.branches.discard({ projectId, branchId, paths })
      discarded.push({ branchId, handle, name, paths, sequence })
    }
    const what = paths === null ? 'the branch' : `the changes of ${paths.join(', ')} in`
    return {
      value: { threadId: thread.id, discarded },
      lines: [
        ...branches.map(({ name }) => lineOf(`Discarded ${what} ${name}.`, 'good')),
        lineOf(`  coppice undo ${thread.id.slice(0, 8)}${placeFlags(line)}`, 'accent'),
      ],
    }
  })
}
