import { call } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { type ApiRequest, taskOf, turnOf } from '../e2e/model-server/scenario.ts'
import { batchIn, batchScenario, begin, openBatchWorld, tasks, threadIn } from './batch-world.testkit.ts'

const batch = (count: number) => ({ name: 'batch_task', id: 'batch', input: { tasks: tasks(count) } })

describe('a batch', () => {
  it('merges everything clean: a branch with a conflict stays whole, and each merge can be undone', async () => {
    const both = (request: ApiRequest) => (taskOf(request) === 'task 1' || taskOf(request) === 'task 3' ? 'a' : 'own')
    const { host, project } = await openBatchWorld(
      batchScenario({ ...batch(4), input: { tasks: tasks(4) } }, (request) =>
        turnOf(request) === 0
          ? {
              calls: ['shared', taskOf(request).replace(' ', '-')]
                .filter((name) => name !== 'shared' || both(request) === 'a')
                .map((name, index) => ({
                  name: 'write_file',
                  id: `w${index}`,
                  input: { file_path: `/${name}.txt`, content: taskOf(request) },
                })),
            }
          : { text: 'done' },
      ),
      { batch_concurrency: 1 },
    )
    const id = begin(project)
    await project.runtime.whenIdle(id)
    const input = { projectId: project.info().id, threadId: id, callId: batchIn(project, id).callId }
    const { sequences, left } = await call(host.router.batches.mergeClean, input, { context: {} })
    expect([sequences.length, left]).toEqual([3, ['subagent_3']])
    const paths = async () => {
      const { branchId } = threadIn(project, id)
      const changes = await call(host.router.changes.list, { projectId: input.projectId, branchId }, { context: {} })
      return changes.map(({ path }) => path)
    }
    expect(await paths()).toEqual(['/shared.txt', '/task-0.txt', '/task-1.txt', '/task-2.txt'])
    for (const sequence of sequences.toReversed())
      await call(host.router.branches.undo, { projectId: input.projectId, sequence }, { context: {} })
    expect(await paths()).toEqual([])
  })
})
