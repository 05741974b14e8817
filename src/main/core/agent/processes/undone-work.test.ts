import { describe, expect, it } from 'vitest'
import type { MessageId, ProcessId, Sequence } from '#shared/model/ids.ts'
import { noRules } from '../../approval/rules.ts'
import { rewindDrafts } from '../../journal/rewind.ts'
import { callingInTurn } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'

const settings = {
  policy: { interruptOn: new Map(), commands: 'before' as const, rules: { ...noRules, allow: ['execute'] } },
}
const first = 'process_0' as ProcessId
const later = 'wait-for-it; echo undone > edited; echo written; sleep infinity'
const begin = (command: string) => ['execute', { command, background: true }] as const
const write = (file_path: string, content: string) => ['write_file', { file_path, content }] as const

/** Runs the calls and then waits for an answer. The first process is kept, so it goes on. */
async function openKept(calls: readonly (readonly [string, object])[]) {
  const script = callingInTurn([...calls, ['ask_user', { question: 'Go on?' }]])
  const gate = Promise.withResolvers<number>()
  const world = await openWorld({ settings, script, programs: { 'wait-for-it': () => gate.promise } })
  const id = await world.run('main')
  const { processes } = world.runtime
  const { log } = world.services
  processes.keep(id, first, true)
  await world.runtime.halt(id)
  return {
    ...{ world, id, log },
    files: () => world.files(id),
    find: () => processes.list(id).find((process) => process.id === first),
    /** Lets a process that waits write what it still remembers of the file. */
    async goOn() {
      gate.resolve(0)
      await expect.poll(() => processes.list(id)[0]?.outputBytes).toBeGreaterThan(0)
    },
    stop: () => processes.stop(id, first, 'person'),
    /** The sequence before the first entry of this type. */
    before: (type: 'process.started' | 'tree.changed') => ((log.entries([type])[0]?.sequence ?? 1) - 1) as Sequence,
    rewind(to: Sequence, files = true, undoes: Sequence | null = null) {
      const options = { threadId: id, to, files, conversation: false, undoes, noticeId: `notice ${to}` as MessageId }
      log.commit(rewindDrafts(log, options))
      return log.state.sequence
    },
  }
}

describe('a rewind of files', () => {
  it('ends a kept process that began later, and keeps nothing of it', async () => {
    const kept = await openKept([write('/first', '1'), begin('echo undone > undone; sleep infinity')])
    kept.rewind(kept.before('tree.changed'))
    await expect
      .poll(() => kept.find()?.end)
      .toMatchObject({
        by: 'person',
        note: 'It began after the state that the files went back to, so nothing that it changed was kept.',
      })
    expect(await kept.files()).toEqual({})
  })

  it('keeps nothing of a process whose end was being stored', async () => {
    const kept = await openKept([write('/first', '1'), begin('echo undone > undone; sleep infinity')])
    const stopped = kept.stop()
    kept.rewind(kept.before('tree.changed'))
    await stopped
    expect(kept.find()?.end?.note).toMatch(/^It began after/)
    expect(await kept.files()).toEqual({})
  })

  it('leaves an older process running, whose end brings nothing back', async () => {
    const kept = await openKept([begin(`echo own > own; ${later}`), write('/edited', 'undone')])
    kept.rewind(kept.before('tree.changed'))
    await kept.goOn()
    await kept.stop()
    expect(kept.find()?.end?.note).toMatch(/wrote \/own\. Your own version stays at \/edited,/)
    expect(await kept.files()).toEqual({ '/own': 'own\n' })
  })

  it('that is taken back ends what began since, and leaves what is older', async () => {
    const kept = await openKept([begin('echo own > own; sleep infinity'), write('/edited', 'again')])
    const rewound = kept.rewind(kept.before('tree.changed'))
    kept.rewind((rewound - 2) as Sequence, true, rewound)
    expect(kept.find()?.end).toBeNull()
    await kept.stop()
    expect(await kept.files()).toEqual({ '/edited': 'again', '/own': 'own\n' })
  })
})

describe('a rewind of the conversation alone', () => {
  it('ends no process of a thread that is still there', async () => {
    const kept = await openKept([write('/first', '1'), begin('echo own > own; sleep infinity')])
    const to = kept.before('tree.changed')
    kept.log.commit([{ type: 'rewound', threadId: kept.id, to, files: null, conversation: false, undoes: null }])
    expect(kept.find()?.end).toBeNull()
    await kept.stop()
    expect(await kept.files()).toEqual({ '/first': '1', '/own': 'own\n' })
  })
})

describe('a discarded file', () => {
  it('is not brought back by a process that was shown it', async () => {
    const kept = await openKept([begin(later), write('/edited', 'undone')])
    const { branchId } = kept.world.thread(kept.id)
    const [changed] = kept.log.entries(['tree.changed'])
    if (changed?.type !== 'tree.changed') throw new Error('nothing was written')
    const patch = changed.patch.map(([path, [before, after]]) => [path, [after, before]] as const)
    const discarded = {
      type: 'branch.discarded',
      threadId: kept.id,
      branchId,
      patch,
      whole: false,
      by: 'person',
    } as const
    expect(kept.log.commit([discarded]).ok).toBe(true)
    await kept.goOn()
    await kept.stop()
    expect(await kept.files()).toEqual({})
  })
})
