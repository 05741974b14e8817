import { describe, expect, it } from 'vitest'
import { byTask } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { callId, effectsOf, execute, once, policy, requestsOf, startsOf, write } from './hold-calls.testkit.ts'

describe('what is never kept without being seen', () => {
  it('is a task that code declares, although it changes no file', async () => {
    const code = "spawnSubagent({ description: 'child task' })"
    const world = await openWorld({ script: once({ name: 'run_js_code', id: 'j', input: { code } }) })
    const id = await world.run('main', 'ask')
    expect([effectsOf(world, id, 'j'), world.children(id)]).toMatchObject([{ tasks: 1 }, []])
    await world.approve('j')
    expect(world.children(id)).toHaveLength(1)
  })

  it('is a command that stays: it does not run aside, not even for a person who wants to see it first', async () => {
    const world = await openWorld({ settings: policy(), script: once(execute('e', 'true')) })
    const id = await world.run('main')
    const args = { command: 'sleep infinity', background: true }
    await expect(world.decide({ callId: callId('e'), type: 'edit', hold: true, args })).rejects.toThrow(
      'Leave "hold" out',
    )
    expect(world.runtime.processes.list(id)).toEqual([])
  })
})

describe('what a person has seen and keeps', () => {
  it('counts, although the thread is in the mode Plan by now', async () => {
    const world = await openWorld({ script: once(write('w', '/a', 'x')) })
    const id = await world.run('main', 'ask')
    world.services.log.commit([{ type: 'thread.configured', threadId: id, model: 'scripted', approvalMode: 'plan' }])
    await world.approve('w')
    expect([world.outcomes(id), await world.files(id)]).toEqual([{ w: 'ok' }, { '/a': 'x' }])
  })
})

describe('what a failed run would show', () => {
  const edit = { file_path: '/private/.env', old_string: 'API_KEY=xx', new_string: 'x' }
  const files = { '/private/.env': 'API_KEY=canary\nthrow new Error("canary")' }

  it.each([
    { name: 'edit_file', input: edit },
    { name: 'multi_edit', input: { file_path: edit.file_path, edits: [edit] } },
    { name: 'run_js_file', input: { file_path: edit.file_path } },
  ])('of a file that may hold secrets waits for a person: $name', async ({ name, input }) => {
    for (const mode of ['ask', 'auto-edit', 'auto'] as const) {
      const world = await openWorld({ files, script: once({ name, id: 'c', input }) })
      const id = await world.run('main', mode)
      expect(requestsOf(world, id).map(({ effects }) => effects)).toEqual([undefined])
      expect([startsOf(world), JSON.stringify(world.requests).includes('canary')]).toEqual([[], false])
      await world.approve('c')
      expect(world.outcomes(id)).toEqual({ c: 'error' })
    }
  })

  it('of a file whose reading asks by a rule waits for a person', async () => {
    const world = await openWorld({
      settings: policy({ ask: ['read_file(private/**)'] }),
      files: { '/private/a': 'API_KEY=canary' },
      script: once({ name: 'edit_file', id: 'c', input: { ...edit, file_path: '/private/a' } }),
    })
    const id = await world.run('main', 'auto')
    expect(requestsOf(world, id)).toMatchObject([{ callId: 'c', rule: 'rule read_file(private/**)' }])
    expect(JSON.stringify(world.requests)).not.toContain('canary')
  })
})

describe('what a kept back call began with', () => {
  it('is another one by now when a memory that it changes was changed: nothing of that is lost', async () => {
    const file_path = '/memories/n.md'
    const edit = (id: string, old_string: string, new_string: string) => ({
      calls: [{ name: 'edit_file', id, input: { file_path, old_string, new_string } }],
    })
    const world = await openWorld({
      script: byTask({
        first: [{ calls: [write('w', file_path, 'one\n')] }],
        waits: [edit('e', 'one', 'ONE')],
        other: [edit('o', 'one\n', 'one\ntwo\n')],
      }),
    })
    await world.run('first')
    const id = await world.run('waits', 'ask')
    await world.run('other', 'auto')
    await world.approve('e')
    const ranAgain = 'It ran again, because files beside the project that it changes were changed after it had run.'
    expect(effectsOf(world, id, 'e')).toMatchObject({ ran_again: ranAgain })
    await world.approve('e')
    expect(world.outcomes(id)).toEqual({ e: 'ok' })
    expect([...world.services.log.state.memories.values()].map(({ text }) => text)).toEqual(['ONE\ntwo\n'])
  })

  it('is closed by now when memory was switched off: the agent reads why, and the run goes on', async () => {
    for (const reopen of [false, true]) {
      const began = await openWorld({ script: once(write('w', '/memories/n.md', 'one'), write('a', '/a', 'x')) })
      const id = await began.run('main', 'ask')
      const configured = { type: 'thread.configured', threadId: id, model: 'scripted', approvalMode: 'ask' } as const
      began.services.log.commit([{ ...configured, memory: false }])
      const world = reopen ? await began.crash() : began
      await world.approve('w', 'a')
      expect(world.results(id).w).toContain('The user switched memory off for this thread')
      expect([world.outcomes(id), await world.files(id)]).toEqual([{ w: 'error', a: 'ok' }, { '/a': 'x' }])
    }
  })

  it('is another one by now when Python variables that it found were dropped', async () => {
    const python = (id: string, code: string) => ({ name: 'run_python_code', id, input: { code } })
    const world = await openWorld({
      settings: { policy: { ...policy().policy, interruptOn: new Map([['run_python_code', true]]) } },
      script: once(python('one', 'X=1'), python('two', 'echo "$EARLIER" > a')),
    })
    const id = await world.run('main')
    expect(requestsOf(world, id).map((request) => request.callId)).toEqual(['one', 'two'])
    await world.decide({ callId: callId('one'), type: 'reject' }, { callId: callId('two'), type: 'approve' })
    expect(effectsOf(world, id, 'two')?.ran_again).toContain('the Python variables that it began with are others')
    await world.approve('two')
    expect([world.outcomes(id), await world.files(id)]).toEqual([{ one: 'rejected', two: 'ok' }, { '/a': '\n' }])
  })
})

describe('an edited call that is to be shown again', () => {
  it('tells the agent why when it fails, and ends', async () => {
    const edit = { file_path: '/a', old_string: 'text', new_string: 'new' }
    const world = await openWorld({
      files: { '/a': 'text' },
      script: once({ name: 'edit_file', id: 'e', input: edit }),
    })
    const id = await world.run('main', 'ask')
    await world.decide({ callId: callId('e'), type: 'edit', hold: true, args: { ...edit, old_string: 'absent' } })
    expect([world.outcomes(id), await world.files(id)]).toEqual([{ e: 'error' }, { '/a': 'text' }])
    expect(world.results(id).e).toContain('old_string was not found')
  })
})

describe('a command of a project with granted hosts', () => {
  const settings = { policy: { ...policy().policy, hosts: ['example.org'] } }

  it('that nobody needs to see waits for the calls before it, and nobody is asked how it ended', async () => {
    const { policy: granted } = settings
    const world = await openWorld({
      files: { '/a': '1' },
      settings: { policy: { ...granted, rules: { ...granted.rules, allow: ['Effects(no changes)'] } } },
      script: once({ name: 'read_file', id: 'r', input: { file_path: '/a' } }, execute('e', 'true')),
    })
    const id = await world.run('main')
    expect([requestsOf(world, id), world.outcomes(id)]).toEqual([[], { r: 'ok', e: 'ok' }])
    expect(startsOf(world)).toEqual(['e', 'r'])
  })
})
