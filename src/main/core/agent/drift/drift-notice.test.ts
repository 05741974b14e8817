import { describe, expect, it } from 'vitest'
import type { BaseFixture } from '#overlay'
import { byTask, lastResults, type ScriptedAnswer, type ScriptedCall } from '../../ports/model-client.testkit.ts'
import { type AgentWorld, openWorld, shownMessage } from '../agent-world.testkit.ts'

const read = (id: string, name: string): ScriptedCall => ({
  name: 'read_file',
  id,
  input: { file_path: `/${name}.txt` },
})
const edit = (id: string, name: string, from = name): ScriptedCall => ({
  name: 'edit_file',
  id,
  input: { file_path: `/${name}.txt`, old_string: from, new_string: `${from} edited` },
})
const pause: ScriptedAnswer = { calls: [{ name: 'ask_user', id: 'pause', input: { question: 'Go on?' } }] }
const files = { '/read.txt': 'read\n', '/changed.txt': 'changed\n', '/other.txt': 'other\n' }
const continueRun = (world: AgentWorld) => world.decide({ callId: 'pause' as never, type: 'respond', message: 'yes' })

const notices = (world: AgentWorld) =>
  world.requests.map(
    ({ messages }) => messages.map(shownMessage).join('\n').split('Somebody else changed files').length - 1,
  )
const shownDrift = (world: AgentWorld) =>
  world.services.live.flatMap((event) =>
    event.type === 'drift.changed' ? [event.files.map(({ path, kind, since }) => `${path} ${kind} ${since}`)] : [],
  )

describe('a file that changes on disk while an agent works', () => {
  it('is shown, announced once, and not editable before it is read again', async () => {
    const world = await openWorld({
      files,
      script: byTask({
        main: [
          { calls: [read('r1', 'read'), read('r2', 'changed'), read('r3', 'other'), edit('e1', 'changed')] },
          pause,
          { calls: [edit('e2', 'read'), edit('e3', 'changed'), edit('e4', 'other')] },
          { calls: [read('r4', 'read'), read('r5', 'changed')] },
          { calls: [edit('e5', 'read', 'mine'), edit('e6', 'changed', 'changed edited')] },
          { text: 'Done.' },
        ],
      }),
    })
    const id = await world.run('main')
    world.services.onDisk('/read.txt', 'mine\n')
    world.services.onDisk('/changed.txt', 'mine too\n')
    await continueRun(world)
    expect(shownDrift(world).at(-1)).toEqual(['/changed.txt changed changed'])
    const notice = shownMessage(world.requests[2]?.messages.at(-1) as never)
    expect(notice).toContain('/read.txt was changed\n')
    expect(notice).toContain('/changed.txt was changed; the branch keeps your version')
    expect(notice).not.toContain('/other.txt')
    expect(notices(world), 'told once').toEqual([0, 0, 1, 1, 1, 1])
    const results = world.results(id)
    expect([results.e2, results.e3]).toEqual([
      expect.stringContaining('changed since you last read it'),
      expect.stringContaining('changed since you last read it'),
    ])
    for (const call of ['e4', 'e5', 'e6']) expect(results[call]).toMatch(/^Edited/)
    expect(results.r4).toContain('mine')
    expect(results.r5).toMatch(/changed edited[\s\S]*file on disk has moved on/)
    expect(
      new TextDecoder().decode(await world.services.base.read('/changed.txt' as never)),
      'the disk is not touched',
    ).toBe('mine too\n')
  })

  it('is no longer drift once it has its old content again', async () => {
    const world = await openWorld({
      files,
      script: byTask({ main: [{ calls: [read('r', 'read')] }, pause, { text: 'Done.' }] }),
    })
    const id = await world.run('main')
    world.services.onDisk('/read.txt', 'mine\n')
    await world.services.drift.of(world.thread(id).branchId)
    world.services.onDisk('/read.txt', 'read\n')
    await continueRun(world)
    expect([shownDrift(world), notices(world)]).toEqual([
      [['/read.txt changed read'], []],
      [0, 0, 0],
    ])
  })

  it('is announced again when it changes again', async () => {
    const world = await openWorld({
      files,
      script: byTask({
        main: [
          { calls: [read('r', 'read')] },
          pause,
          { ...pause, calls: [{ name: 'ask_user', id: 'again', input: { question: '?' } }] },
          { text: 'Done.' },
        ],
      }),
    })
    await world.run('main')
    world.services.onDisk('/read.txt', 'one\n')
    await continueRun(world)
    world.services.onDisk('/read.txt', 'two\n')
    await world.decide({ callId: 'again' as never, type: 'respond', message: 'yes' })
    expect(notices(world)).toEqual([0, 0, 1, 2])
  })

  it.each<[string, BaseFixture | null, string]>([
    ['deleted', null, 'was deleted'],
    ['made a folder', { kind: 'directory' }, 'is a folder now'],
    ['made a link to another file', { kind: 'symlink', target: 'other.txt' }, 'was changed'],
    ['made a pipe', { kind: 'special' }, 'is no regular file now'],
  ])('is described by what happened to it when it is %s', async (_, becomes, words) => {
    const world = await openWorld({
      files,
      script: byTask({ main: [{ calls: [read('r', 'read')] }, pause, { text: 'Done.' }] }),
    })
    await world.run('main')
    world.services.onDisk('/read.txt', null)
    if (becomes !== null) world.services.onDisk('/read.txt', becomes)
    await continueRun(world)
    expect(shownMessage(world.requests.at(-1)?.messages.at(-1) as never)).toContain(`- /read.txt ${words}`)
  })

  it('is announced when it appears where the agent made one', async () => {
    const write = { name: 'write_file', id: 'w', input: { file_path: '/new.txt', content: 'mine' } }
    const world = await openWorld({ script: byTask({ main: [{ calls: [write] }, pause, { text: 'Done.' }] }) })
    await world.run('main')
    world.services.onDisk('/new.txt', 'theirs')
    await continueRun(world)
    expect(shownMessage(world.requests.at(-1)?.messages.at(-1) as never)).toContain(
      '- /new.txt was created on disk too; the branch keeps your version',
    )
  })

  it('is announced after a restart, and earlier notices keep their words', async () => {
    const world = await openWorld({
      files,
      script: byTask({
        main: [
          { calls: [read('r', 'read'), edit('e', 'changed')] },
          pause,
          { text: 'Told.' },
          { text: 'Told again.' },
          { text: 'Nothing new.' },
        ],
      }),
    })
    const id = await world.run('main')
    world.services.onDisk('/read.txt', null)
    await continueRun(world)
    const before = world.requests.at(-1)?.messages ?? []
    world.services.base.set('/changed.txt', 'while it was closed\n')
    const again = await world.restart()
    await again.say(id, 'Go on')
    await again.say(id, 'And on')
    expect(notices(again)).toEqual([2, 2])
    const last = shownMessage(again.requests[0]?.messages.at(-1) as never)
    expect(last).toContain('/changed.txt was changed')
    expect(last).not.toContain('/read.txt')
    expect(again.requests[0]?.messages.slice(0, before.length)).toEqual(before)
  })

  it('is announced to a subagent that read it', async () => {
    const world = await openWorld({
      files,
      script: byTask({
        main: [{ calls: [{ name: 'spawn_subagents', input: { tasks: ['sub'] } }] }, { text: 'Done.' }],
        sub: [{ calls: [read('r', 'read')] }, pause, { calls: [edit('e', 'read')] }, { text: 'Refused.' }],
      }),
    })
    const id = await world.run('main')
    world.services.onDisk('/read.txt', 'mine\n')
    await continueRun(world)
    await world.whenIdle(id)
    const asked = world.requests.map(({ messages }) => JSON.stringify(messages))
    expect(asked.filter((text) => text.includes('/read.txt was changed'))).toHaveLength(2)
    expect(world.requests.flatMap((request) => [...lastResults(request).values()]).join()).toContain(
      'changed since you last read it',
    )
  })

  it('is one of at most fifty named files; the others are counted', async () => {
    const names = Array.from({ length: 53 }, (_, index) => `f${String(index).padStart(2, '0')}`)
    const many = Object.fromEntries(names.map((name) => [`/${name}.txt`, name]))
    const world = await openWorld({
      files: many,
      script: byTask({ main: [{ calls: names.map((name) => read(name, name)) }, pause, { text: 'Done.' }] }),
    })
    await world.run('main')
    for (const name of names) world.services.onDisk(`/${name}.txt`, 'moved')
    await continueRun(world)
    const notice = shownMessage(world.requests.at(-1)?.messages.at(-1) as never)
    expect(notice.match(/was changed/g)).toHaveLength(50)
    expect(notice).toContain('- and 3 more\nRead such a file again before you edit it.')
  })
})
