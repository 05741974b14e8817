import { describe, expect, it } from 'vitest'
import { createOverlayTransaction } from '#overlay'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openWorld } from '../../agent/agent-world.testkit.ts'
import { noTuning } from '../../agent/types/tuning.ts'
import { byTask, type ScriptedCall } from '../../ports/model-client.testkit.ts'
import { declaredIn, maxTasks, readTasks } from './declared-tasks.ts'

const edit = (old_string: string, new_string: string): ScriptedCall => ({
  name: 'edit_file',
  input: { file_path: '/shared', old_string, new_string },
})
const write = (file_path: string, content: string): ScriptedCall => ({
  name: 'write_file',
  input: { file_path, content },
})
const merge = (id: string, more: object): ScriptedCall => ({
  name: 'merge_subagent',
  id,
  input: { handle: 'subagent_0', ...more },
})
const discard = (id: string, more: object = {}): ScriptedCall => ({
  name: 'discard_subagent',
  id,
  input: { handle: 'subagent_0', ...more },
})

/** A subagent edits one file and writes two. Its parent then edits the same file and makes these calls. */
async function reconciled(...calls: readonly ScriptedCall[]) {
  const world = await openWorld({
    files: { '/shared': 'one\ntwo\nthree\nfour\n' },
    script: byTask({
      main: [
        { calls: [{ name: 'spawn_subagents', id: 'spawn', input: { tasks: ['child'] } }] },
        { calls: [edit('four', 'FOUR')] },
        ...calls.map((call) => ({ calls: [call] })),
      ],
      child: [{ calls: [edit('one', 'ONE'), write('/a', 'a'), write('/b', 'b')] }, { text: 'done' }],
    }),
  })
  const id = await world.run('main')
  const results = world.results(id)
  return {
    world,
    id,
    files: await world.files(id),
    outcomes: world.outcomes(id),
    said: (call: string) => JSON.parse(results[call] ?? '{}'),
    results,
  }
}

describe('merge_subagent when green', () => {
  /** A person deletes a file of the parent while a program of theirs looks at the result of the merge. */
  it('fails when the files that were checked are others by the time the merge is stored', async () => {
    let change = async (): Promise<void> => undefined
    const world = await openWorld({
      files: { '/shared': 'text', '/other': 'x' },
      checks: [{ name: 'test', run: 'test -e other' }],
      settings: {
        tuning: { ...noTuning, programs: [{ name: 'look', command: ['look'], on: ['result'], timeoutMs: 1000 }] },
      },
      askProgram: async ({ message }) => {
        if (JSON.stringify(message).includes('merge_subagent')) await change()
        return {}
      },
      script: byTask({
        main: [
          { calls: [{ name: 'spawn_subagents', id: 'spawn', input: { tasks: ['child'] } }] },
          { calls: [merge('m', { when: 'green' })] },
        ],
        child: [{ calls: [write('/a', 'a')] }, { text: 'done' }],
      }),
    })
    const { services } = world
    change = async () => {
      const [root] = [...services.log.state.threads.values()].filter(({ parent }) => parent === null)
      const tree = root && services.log.trees.heads.get(root.branchId)
      if (!root || !tree) throw new Error('There is no parent')
      const edit = createOverlayTransaction({ ...services, tree, now: () => services.clock.now() })
      await edit.delete('/other' as VirtualPath)
      const body = { type: 'tree.changed', branchId: root.branchId, patch: edit.patch(), callId: null } as const
      expect(services.log.commit([{ ...body, threadId: root.id }]).ok).toBe(true)
    }
    const id = await world.run('main')
    expect(world.outcomes(id).m).toBe('error')
    expect(await world.files(id), 'neither the merge nor anything half').toEqual({ '/shared': 'text' })
  })
})

describe('merge_subagent', () => {
  it('takes clean paths and names the others', async () => {
    const { said, files } = await reconciled(merge('m', {}))
    expect(said('m')).toMatchObject({
      written: ['/a', '/b'],
      merged: [],
      skipped: ['/shared'],
      conflicts: [{ path: '/shared', mergeable: true }],
    })
    expect(files).toEqual({ '/a': 'a', '/b': 'b', '/shared': 'one\ntwo\nthree\nFOUR\n' })
  })

  it('merges texts that do not overlap when allowed to', async () => {
    const { said, files } = await reconciled(merge('m', { strategy: 'three_way' }))
    expect(said('m')).toMatchObject({ written: ['/a', '/b'], merged: ['/shared'], conflicts: [] })
    expect(files['/shared']).toBe('ONE\ntwo\nthree\nFOUR\n')
  })

  it("takes the branch's whole file when forced, and still names the conflict", async () => {
    const { said, files } = await reconciled(merge('m', { force: true }))
    expect(said('m')).toMatchObject({ written: ['/a', '/b', '/shared'], conflicts: [{ path: '/shared' }], skipped: [] })
    expect(files['/shared']).toBe('ONE\ntwo\nthree\nfour\n')
  })

  it('takes chosen paths, then others, and does nothing for the same ones again', async () => {
    const { said, files } = await reconciled(
      merge('first', { paths: ['a'] }),
      merge('again', { paths: ['/a'] }),
      merge('rest', {}),
    )
    expect([said('first').written, said('again').written, said('rest').written]).toEqual([['/a'], [], ['/b']])
    expect(Object.keys(files)).toEqual(['/a', '/b', '/shared'])
  })

  it.each([
    [{ handle: 'subagent_9' }, 'subagent_0'],
    [{ handle: [] }, 'Invalid arguments'],
    [{ paths: ['/../x'] }, 'Invalid arguments'],
    [{ strategy: 'ours' }, 'Invalid arguments'],
  ])('refuses %j', async (input, message) => {
    const { outcomes, results, files } = await reconciled(merge('m', input))
    expect([outcomes.m, results.m]).toEqual(['error', expect.stringContaining(message)])
    expect(Object.keys(files)).toEqual(['/shared'])
  })
})

describe('discard_subagent', () => {
  it('drops a path of a branch, and the rest can still be merged', async () => {
    const { outcomes, said, files } = await reconciled(discard('d', { paths: ['/a'] }), merge('m', {}))
    expect([outcomes.d, said('d'), said('m').written]).toEqual(['ok', { discarded: 'subagent_0' }, ['/b']])
    expect(Object.keys(files)).toEqual(['/b', '/shared'])
  })

  it('drops a whole branch, which then has nothing to merge, and keeps what was merged', async () => {
    const { files, world } = await reconciled(merge('m', { paths: ['/a'] }), discard('d'))
    expect(Object.keys(files)).toEqual(['/a', '/shared'])
    expect(world.entries('branch.discarded')).toMatchObject([{ whole: true, by: 'agent' }])
  })

  it('refuses an unknown handle and names the known ones', async () => {
    const { outcomes, results } = await reconciled(discard('d', { handle: 'nobody' }))
    expect([outcomes.d, results.d]).toEqual(['error', expect.stringContaining('subagent_0')])
  })
})

describe('declared tasks', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)

  it('are read from a file, one per line, without blank lines and with either line end', () => {
    expect(readTasks(bytes('{"description":"a"}\r\n\n  \n{"description":"b","id":"x","type":"t"}'))).toEqual([
      { description: 'a' },
      { description: 'b', id: 'x', type: 't' },
    ])
    expect(readTasks(bytes(''))).toEqual([])
  })

  it.each([
    ['{"description":"a"}\n{', 'line 2 is not a task'],
    ['"text"', 'line 1 is not a task'],
    ['{"description":""}', 'line 1 is not a task'],
    [`{"description":"a","id":"${'x'.repeat(201)}"}`, 'line 1 is not a task'],
    ['{"description":"a"}\n'.repeat(maxTasks + 1), `there are more than ${maxTasks} tasks.`],
  ])('with errors are named by their line', (text, message) => {
    expect(readTasks(bytes(text))).toContain(message)
  })

  it('of a call are the valid ones; the others are counted', () => {
    expect(declaredIn([])).toEqual({ tasks: [], note: '' })
    expect(declaredIn(['{"description":"a"}', '{broken', '', '{"id":"x"}'])).toEqual({
      tasks: [{ description: 'a' }],
      note: '1 task declared. 3 malformed declarations left out.',
    })
    expect(declaredIn(Array.from({ length: maxTasks + 1 }, () => '{"description":"a"}')).tasks).toEqual([])
  })
})
