import { describe, expect, it } from 'vitest'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { noRules } from '../../approval/rules.ts'
import { callingInTurn } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'

const settings = {
  policy: { interruptOn: new Map(), commands: 'before' as const, rules: { ...noRules, allow: ['write_file'] } },
}

async function open(script = callingInTurn([])) {
  const world = await openWorld({ settings, script, files: { '/.env': 'KEY=1', '/a': 'old\n' } })
  const id = await world.run('main')
  const { processes } = world.runtime
  const branchId = world.thread(id).branchId
  const start = async (command: string) => {
    const started = await processes.startForPerson(branchId, command)
    if (!started.ok) throw new Error(started.error)
    return started.value.id
  }
  const outputOf = (at: number) => processes.output(id, processes.list(id)[at]?.id as never, 0)?.text
  return { world, id, branchId, processes, start, outputOf }
}

describe('a process that a person starts', () => {
  it('stays after the run, sees what agents see, and its changes become changes of its branch', async () => {
    const { world, id, processes, start, outputOf } = await open()
    const process = await start('cat .env; echo new > a; echo up; cat')
    await expect.poll(() => outputOf(0)).toContain('up')
    expect(outputOf(0)).not.toContain('KEY')
    expect(processes.list(id)).toMatchObject([{ isKept: true, end: null, branchId: world.thread(id).branchId }])
    await world.say(id, 'go on')
    expect(processes.list(id)).toMatchObject([{ end: null }])
    await processes.stop(id, process, 'person')
    expect(world.entries('process.started')).toMatchObject([{ callId: null, threadId: id }])
    expect(world.entries('process.ended')).toMatchObject([{ by: 'person', note: 'Changes: wrote /a.' }])
    expect((await world.files(id))['/a']).toBe('new\n')
  })

  it('counts to the most that a branch may have', async () => {
    const { processes, start, branchId } = await open()
    for (let at = 0; at < 8; at += 1) await start('cat')
    expect(await processes.startForPerson(branchId, 'cat')).toMatchObject({ ok: false })
    await processes.shutDown()
  })
})

describe('what takes a branch down', () => {
  const writes = callingInTurn([['write_file', { file_path: '/made', content: 'by the agent\n' }]])
  const down = (world: Awaited<ReturnType<typeof openWorld>>, id: ThreadId, branchId: BranchId, command: string) => ({
    ...{ branchId, command, timeoutMs: 5_000 },
    at: (world.services.log.state.sequence - 1) as Sequence,
    id,
  })

  // Mutation: show it the branch as it is once it is put away, or let it follow the branch.
  it('runs over the branch as it was, and leaves nothing there', async () => {
    const { world, id, branchId, processes, outputOf } = await open(writes)
    world.services.log.commit([
      { type: 'branch.discarded', threadId: id, branchId, by: 'person', patch: [], whole: true },
    ])
    await processes.takeDown(down(world, id, branchId, 'cat made; echo gone > made; exit 3'))
    expect(outputOf(0)).toBe('by the agent\n')
    expect(world.entries('process.ended')).toMatchObject([
      { by: 'itself', exitCode: 3, note: 'Nothing that it changed was kept, because its branch was put away.' },
    ])
    expect((await world.files(id))['/made']).toBe('by the agent\n')
  })
})
