import fc from 'fast-check'
import { expect, it } from 'vitest'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import type { LogReader } from '#core/journal/project-log.ts'
import { rewindDrafts } from '#core/journal/rewind.ts'
import { runs } from '#core/ports/test-size.testkit.ts'
import type { CommitUnit } from '#shared/model/delivery.ts'
import type { BranchId, MessageId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { applyThread } from '../changes/apply.ts'
import { deliverThread, usualDelivery } from './deliver.ts'
import { openDeliveryWorld } from './delivery-world.testkit.ts'

async function openWork(files = 'echo 1 > a; echo 1 > b') {
  const world = await openDeliveryWorld(`${files}; git add -A; git commit -qm 1`)
  const { log, ids } = world.project.services
  const threadId = [...log.state.threads.keys()][0] as ThreadId
  const append = (...entries: Parameters<typeof appendTo>[1]) => appendTo(log, entries)
  return {
    ...world,
    log,
    threadId,
    append,
    say: (text: string) =>
      append({
        type: 'message',
        threadId,
        message: {
          role: 'user',
          messageId: ids.next() as MessageId,
          origin: 'person',
          content: [{ type: 'text', text }],
        },
      }),
    plan: (content: string) =>
      append({ type: 'todos.written', threadId, by: 'agent', todos: [{ content, status: 'in_progress' }] }),
    rewind: async (to: Sequence, undoes: Sequence | null = null) => {
      const options = { threadId, to, undoes, files: true, conversation: true, noticeId: ids.next() as MessageId }
      append(...rewindDrafts(log, options))
      return log.state.sequence
    },
    commits: async (to: string, per: CommitUnit) => {
      await world.deliver(to, { per })
      return world.sh(`git log --reverse --format=%s --name-only main..${to} | grep -v '^$'`).trim().split('\n')
    },
  }
}

it('makes a commit for each message and each todo, in their order', async () => {
  await using world = await openWork()
  world.say('First: do\na')
  world.plan('Write a')
  await world.write({ '/a': '2\n' })
  await world.write({ '/a': '3\n' })
  world.plan('Write b')
  await world.write({ '/b': '2\n' })
  world.say(`then ${'c '.repeat(60)}`)
  await world.write({ '/c': '1\n', '/a': '4\n' })
  expect(await world.commits('to-m', 'message')).toEqual([
    'First: do a',
    'a',
    'b',
    expect.stringMatching(/^then (c )+c…$/),
    'a',
    'c',
  ])
  expect(await world.commits('to-t', 'todo')).toEqual(['Write a', 'a', 'Write b', 'a', 'b', 'c'])
  expect(world.treeOf('to-m')).toBe(world.treeOf('to-t'))
  expect(world.sh('git show to-m~1:a')).toBe('3\n')
  const ofRun = usualDelivery(world.project, world.threadId, { to: 'to-run', per: 'message' })
  await deliverThread(world.project, ofRun)
  expect(world.sh('git log --format=%s%T to-run')).toBe(world.sh('git log --format=%s%T to-m'))
})

it('leaves out what was rewound, has it again after the undo, and shows an undo that came later', async () => {
  await using world = await openWork()
  world.say('one')
  await world.write({ '/a': '2\n' })
  const before = world.log.state.sequence
  world.say('two')
  await world.write({ '/b': '2\n' })
  const rewound = await world.rewind(before)
  world.say('three')
  await world.write({ '/c': '2\n' })
  expect(await world.commits('to-1', 'message')).toEqual(['one', 'a', 'three', 'c'])
  await world.rewind((rewound - 1) as Sequence, rewound)
  expect(await world.commits('to-2', 'message')).toEqual(['one', 'a', 'two', 'b'])
})

// Mutation: without `withoutApplied` the first commit has what was applied in between, and the last one takes it back.
it('has in no commit what was applied, also when the file was changed once more', async () => {
  await using world = await openWork('seq 9 > a')
  const lines = (...changed: readonly string[]) =>
    `${['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((line) => changed.find((one) => one.startsWith(line)) ?? line).join('\n')}\n`
  world.say('one')
  await world.write({ '/a': lines('2!'), '/b': 'b\n' })
  await applyThread(world.project, world.threadId)
  world.say('two')
  await world.write({ '/c': 'c\n' })
  world.say('three')
  await world.write({ '/a': lines('2!', '8!') })
  expect(await world.commits('to-m', 'message')).toEqual(['two', 'c', 'three', 'a'])
  expect(world.sh('git show to-m:a')).toBe(lines('8!'))
  expect(world.sh('git show to-m~1:a')).toBe(lines())
})

// Mutation: with names of the project in place of those of the repository, the submodule has what was applied in a commit.
it('keeps what was applied out of the commits of a submodule too', async () => {
  await using world = await openWork(
    'git init -q --template= -b main ../lib; (cd ../lib; echo 1 > x; git add x; git commit -qm 1); git submodule --quiet add ../lib sub',
  )
  world.say('one')
  await world.write({ '/sub/x': '2\n' })
  await applyThread(world.project, world.threadId)
  world.say('two')
  await world.write({ '/sub/y': '1\n' })
  await world.deliver('to', { per: 'message' })
  expect(world.sh('git -C sub log --format=%s --name-only main..to | grep -v "^$"')).toBe('two\ny\n')
})

it('makes a commit for each agent and each merged branch', async () => {
  await using world = await openWork()
  const { append, threadId, branchId } = world
  await world.write({ '/a': '2\n' })
  const merge = async (name: string, path: string) => {
    const [thread, branch] = [`t-${name}` as ThreadId, `b-${name}` as BranchId]
    append(
      {
        ...{ type: 'thread.created', threadId: thread, agent: name, agentType: 'worker', title: `Task of ${name}` },
        ...{ branchId: branch, depth: 1, model: 'demo', approvalMode: 'auto', contextScope: 'strict' },
        parent: { threadId, callId: 'c' as never, handle: `h-${name}` as never, index: 0, task: 't', todoIndex: null },
      },
      {
        type: 'branch.forked',
        threadId: thread,
        branchId: branch,
        parentId: branchId,
        ownerThreadId: thread,
        handle: `h-${name}` as never,
        name,
      },
    )
    const hash = world.project.services.blobs.put(new TextEncoder().encode('x\n'))
    const node = { kind: 'file', blob: hash, size: 2, executable: false } as const
    const result = { written: [], deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] }
    append({
      ...{ type: 'branch.merged', threadId, branchId: branch, into: branchId, forced: false, by: 'agent' },
      ...{ patch: [[path as never, [null, { node, pin: null }]]], bases: [], result },
    })
  }
  await merge('ann', '/x')
  await merge('bob', '/y')
  expect(await world.commits('to-a', 'agent')).toEqual([
    'the work',
    'a',
    'ann: Task of ann',
    'x',
    'bob: Task of bob',
    'y',
  ])
  expect(await world.commits('to-b', 'branch')).toEqual(['the work', 'a', 'Merge ann', 'x', 'Merge bob', 'y'])
})

it('has nothing on its way of what is not delivered at the end', async () => {
  await using world = await openWork()
  world.sh('echo mine > m')
  world.say('one')
  await world.write({ '/m': 'mine\nmore\n', '/c': '1\n' })
  world.say('two')
  await world.write({ '/d': 'other\n', '/c': null })
  expect(await world.commits('to', 'message')).toEqual(['one', 'c', 'two', 'c', 'd'])
})

// Mutation: when the last part does not end with the workspace as it is now, an apply at the end makes two results.
it('ends with the tree of one commit for all, whatever was delivered, applied and rewound on the way', async () => {
  const text = fc.option(fc.constantFrom('1\n', '2\n', '3\n'))
  const write = fc.record({ do: fc.constant('write' as const), name: fc.constantFrom('a', 'b', 'c', 'd/e'), text })
  const back = fc.record({ do: fc.constant('rewind' as const), steps: fc.nat(6) })
  const others = fc.record({
    do: fc.constantFrom('say' as const, 'say' as const, 'apply' as const, 'deliver' as const),
  })
  const steps = fc.array(fc.oneof(write, write, others, back), { minLength: 3, maxLength: 9 })
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await using world = await openWork()
      const { log, threadId } = world
      const first = log.state.sequence
      /** The tree after a delivery, or why there was none. */
      const end = async (per: CommitUnit) => {
        const refused = await world.deliver(`to-${per}`, { per }).then(() => '', String)
        return [refused, world.sh(`git ls-tree -r to-${per} 2> /dev/null || true`)]
      }
      for (const [at, step] of all.entries()) {
        if (step.do === 'write') await world.write({ [`/${step.name}`]: step.text }).catch(() => undefined)
        else if (step.do === 'rewind')
          world.append(...filesAt(log, threadId, Math.max(first, log.state.sequence - step.steps) as Sequence))
        else if (step.do === 'say') world.say(`message ${at}`)
        else if (step.do === 'apply') await applyThread(world.project, threadId)
        else if (step.do === 'deliver') for (const per of ['all', 'message'] as const) await end(per)
      }
      expect(await end('message')).toEqual(await end('all'))
      const trees = world.sh('git log --format=%T to-message 2> /dev/null || true').trim().split('\n')
      expect(trees.filter((tree, at) => tree !== '' && tree === trees[at - 1])).toEqual([])
    }),
    { ...runs(3, 300), examples: [[[{ do: 'write', name: 'd/e', text: '1\n' }, { do: 'apply' }]]] },
  )
})

function filesAt(log: LogReader, threadId: ThreadId, to: Sequence) {
  return rewindDrafts(log, { threadId, to, undoes: null, files: true, conversation: false, noticeId: 'n' as MessageId })
}
