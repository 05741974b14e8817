import { describe, expect, it } from 'vitest'
import { projectThread } from '#shared/model/ids.ts'
import type { ServicesOptions } from '../agent/agent-services.testkit.ts'
import { openWorld } from '../agent/agent-world.testkit.ts'
import { appendTo } from '../journal/project-log.testkit.ts'
import { createUserMemoryDelivery } from '../journal/user-memory-delivery.ts'
import { byTask, type ScriptedCall } from '../ports/model-client.testkit.ts'
import { createMemoryUserMemories } from '../ports/stores/user-memories.testkit.ts'
import { maxMemoryBytes, memoryProblem } from './memory-files.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const js = (id: string, code: string): ScriptedCall => ({ name: 'run_js_code', id, input: { code } })
const note = (name: string, text: string) =>
  ({ type: 'memory.written', threadId: projectThread, name, text, agent: null, callId: null, restores: null }) as const

describe('what a memory may hold', () => {
  it.each<[string, Uint8Array, RegExp | null]>([
    ['a note', bytes('Tabs, not spaces. äöü 日本'), null],
    ['nothing', bytes(''), null],
    ['a byte order mark', bytes('\ufeffnote'), null],
    ['exactly the size limit', new Uint8Array(maxMemoryBytes).fill(97), null],
    ['one byte too many', new Uint8Array(maxMemoryBytes + 1).fill(97), /at most 256 KB/],
    ['binary', Uint8Array.of(110, 0, 1), /text files \(UTF-8\) only/],
    ['half a character', Uint8Array.of(0xc3), /text files \(UTF-8\) only/],
    ['a key', bytes('use sk-abcdefghijklmnopqrstuvwxyz012345'), /looks as if it held a secret/],
    ['a password', bytes('DB_PASSWORD=hunter2-hunter2'), /looks as if it held a secret/],
  ])('is checked: %s', (_, content, problem) => {
    if (problem === null) expect(memoryProblem(content)).toBeNull()
    else expect(memoryProblem(content)).toMatch(problem)
  })
})

describe('memories as files of an agent', () => {
  const run = async (calls: readonly ScriptedCall[], stored: readonly ReturnType<typeof note>[] = []) => {
    const world = await openWorld({ script: byTask({ main: [{ calls }] }) })
    for (const one of stored) appendTo(world.services.log, [one])
    const id = await world.run('main')
    const memories = [...world.services.log.state.memories.values()].map(({ name, text }) => [name, text])
    return {
      world,
      id,
      memories: Object.fromEntries(memories),
      results: world.results(id),
      outcomes: world.outcomes(id),
    }
  }

  it('are written, read, moved and deleted like any file, and never become changes of the branch', async () => {
    const { memories, world, id } = await run([
      js(
        'w',
        "await fs.write('/memories/notes/style.md', 'Tabs.'); await fs.write('/memories/old.md', 'x'); return await fs.list('/memories')",
      ),
      { name: 'move', id: 'm', input: { from: '/memories/old.md', to: '/memories/new.md' } },
      {
        name: 'edit_file',
        id: 'e',
        input: { file_path: '/memories/notes/style.md', old_string: 'Tabs', new_string: 'Spaces' },
      },
    ])
    expect(memories).toEqual({ 'notes/style.md': 'Spaces.', 'old.md': null, 'new.md': 'x' })
    expect(await world.files(id)).toEqual({})
    expect(
      world
        .thread(id)
        .calls.get('w' as never)
        ?.remembered.map(({ name }) => name),
    ).toEqual(['notes/style.md', 'old.md'])
  })

  it('keep nothing that a failed call wrote', async () => {
    const { memories, outcomes } = await run([
      js('w', "await fs.write('/memories/a.md', 'x'); throw new Error('boom')"),
    ])
    expect([memories, outcomes]).toEqual([{}, { w: 'error' }])
  })

  it('get no new version when the text ends up unchanged, even after a deletion in between', async () => {
    const { world } = await run(
      [
        js('same', "await fs.write('/memories/a.md', 'x')"),
        js('again', "await fs.delete('/memories/a.md'); await fs.write('/memories/a.md', 'x')"),
      ],
      [note('a.md', 'x')],
    )
    expect(world.entries('memory.written')).toHaveLength(1)
    expect(world.entries('memory.deleted')).toHaveLength(0)
  })

  it('record which of them were read', async () => {
    const { world } = await run(
      [{ name: 'read_file', id: 'r', input: { file_path: '/memories/a.md' } }],
      [note('a.md', 'x'), note('b.md', 'y')],
    )
    expect(world.entries('memory.recalled').map(({ names }) => names)).toEqual([['a.md']])
  })

  it('refuse a secret with advice, and keep the existing note', async () => {
    const { memories, results } = await run(
      [
        {
          name: 'write_file',
          id: 'w',
          input: { file_path: '/memories/a.md', content: 'key: sk-abcdefghijklmnopqrstuvwxyz012345' },
        },
      ],
      [note('a.md', 'x')],
    )
    expect(memories).toEqual({ 'a.md': 'x' })
    expect(results.w).toContain('Leave the value out and describe where it is kept.')
  })

  it('are visible to later threads, and to subagents at once', async () => {
    const world = await openWorld({
      script: byTask({
        main: [
          { calls: [{ name: 'write_file', input: { file_path: '/memories/a.md', content: 'from main' } }] },
          { calls: [{ name: 'task', input: { description: 'child' } }] },
        ],
        child: [{ calls: [{ name: 'read_file', id: 'c', input: { file_path: '/memories/a.md' } }] }, { text: 'ok' }],
        later: [
          { calls: [{ name: 'grep', id: 'g', input: { pattern: 'from', path: '/memories', output_mode: 'content' } }] },
        ],
      }),
    })
    const id = await world.run('main')
    expect(world.results(world.children(id)[0]?.id as never).c).toContain('from main')
    const later = await world.run('later')
    expect(world.results(later).g).toBe('/memories/a.md:1:from main')
  })
})

describe('memories for all projects, as files of an agent', () => {
  const write = (id: string, file_path: string, content: string): ScriptedCall => ({
    name: 'write_file',
    id,
    input: { file_path, content },
  })
  const run = async (calls: readonly ScriptedCall[], options: ServicesOptions = {}) => {
    const world = await openWorld({ ...options, script: byTask({ main: [{ calls }] }) })
    const id = await world.run('main')
    const texts = [...world.services.userMemories.current().values()].map(({ name, text }) => [name, text])
    return { world, id, texts: Object.fromEntries(texts), results: world.results(id), outcomes: world.outcomes(id) }
  }

  it('are written, edited, moved and deleted below user/, with their origin', async () => {
    const { world, id, texts } = await run([
      write('w', '/memories/user/style.md', 'Tabs.'),
      write('x', '/memories/user/old.md', 'old'),
      { name: 'move', id: 'm', input: { from: '/memories/user/old.md', to: '/memories/mine.md' } },
      { name: 'read_file', id: 'r', input: { file_path: '/memories/user/style.md' } },
      {
        name: 'edit_file',
        id: 'e',
        input: { file_path: '/memories/user/style.md', old_string: 'Tabs', new_string: 'Spaces' },
      },
      { name: 'glob', id: 'g', input: { pattern: '/memories/**' } },
    ])
    expect(texts).toEqual({ 'style.md': 'Spaces.', 'old.md': null })
    expect(world.services.log.state.memories.get('mine.md')?.text).toBe('old')
    expect(world.results(id).g).toBe('/memories/mine.md\n/memories/user/style.md')
    const memory = world.services.userMemories.current().get('style.md')
    expect(memory?.versions.value).toMatchObject({ agent: 'main', callId: 'e', threadId: id, number: 2 })
    expect(memory?.versions.value.project).toEqual({ id: 'project', name: 'project' })
    expect(memory?.used).toMatchObject({ threadId: id })
    expect(world.thread(id).calls.get('w' as never)?.remembered).toMatchObject([{ name: 'style.md', user: 'written' }])
    expect(await world.files(id)).toEqual({})
  })

  it('refuse a secret and the name of their folder', async () => {
    const { texts, outcomes, results } = await run([
      write('secret', '/memories/user/a.md', 'key: sk-abcdefghijklmnopqrstuvwxyz012345'),
      write('folder', '/memories/user', 'x'),
    ])
    expect([texts, outcomes]).toEqual([{}, { secret: 'error', folder: 'error' }])
    expect(results.secret).toContain('looks as if it held a secret')
    expect(results.folder).toContain('is the folder of the memories for all projects')
  })

  it('keep nothing that a failed call wrote', async () => {
    const { texts } = await run([js('w', "await fs.write('/memories/user/a.md', 'x'); throw new Error('boom')")])
    expect(texts).toEqual({})
  })

  it('are neither seen nor written when the setting is off', async () => {
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [write('w', '/memories/user/a.md', 'Tabs.')] }],
        later: [
          {
            calls: [
              { name: 'glob', id: 'g', input: { pattern: '/memories/**' } },
              { name: 'read_file', id: 'r', input: { file_path: '/memories/user/a.md' } },
              write('o', '/memories/user/a.md', 'x'),
              write('own', '/memories/own.md', 'x'),
            ],
          },
        ],
      }),
    })
    await world.run('main')
    world.services.change({ userMemory: false })
    const later = await world.run('later')
    expect(world.outcomes(later)).toEqual({ g: 'ok', r: 'error', o: 'error', own: 'ok' })
    expect(world.results(later).g).not.toContain('user/')
    expect(world.results(later).o).toContain('switched the memories for all projects off')
    expect(world.services.userMemories.current().get('a.md')?.text).toBe('Tabs.')
    expect(world.requests.at(-1)?.system).not.toContain('/memories/user/')
  })

  it('are listed in the prompt under their own heading', async () => {
    const world = await openWorld({
      script: byTask({
        main: [{ calls: [write('w', '/memories/user/a.md', 'Tabs.'), write('p', '/memories/b.md', 'B')] }],
      }),
    })
    await world.run('main')
    await world.run('later')
    const system = world.requests.at(-1)?.system
    expect(system).toContain('- {"file":"/memories/b.md","begins":"B"}')
    expect(system).toMatch(/# Memories for all projects\n.*\n- \{"file":"\/memories\/user\/a.md","begins":"Tabs."\}/)
  })

  it('never hide a memory of the project that has such a name from before', async () => {
    const world = await openWorld({
      script: byTask({
        main: [
          {
            calls: [
              { name: 'read_file', id: 'r', input: { file_path: '/memories/user/a.md' } },
              write('w', '/memories/user/a.md', 'changed'),
            ],
          },
        ],
      }),
    })
    appendTo(world.services.log, [note('user/a.md', 'of the project')])
    const id = await world.run('main')
    expect(world.results(id).r).toContain('of the project')
    expect(world.services.log.state.memories.get('user/a.md')?.text).toBe('changed')
    expect(world.services.userMemories.current().size).toBe(0)
  })

  it('arrive after a crash between the journal and the store', async () => {
    const world = await openWorld({
      script: byTask({ main: [{ calls: [write('w', '/memories/user/a.md', 'Tabs.')] }] }),
    })
    const stored = world.services.userMemories
    await world.run('main')
    const kept = [...world.services.log.entries(['user_memory.written'])]
    expect(kept).toHaveLength(1)
    const lost = createMemoryUserMemories()
    createUserMemoryDelivery(lost, { id: 'project' as never, name: 'project' }, () => undefined).catchUp(
      world.services.log,
    )
    expect([...lost.current().values()]).toEqual([...stored.current().values()].map((one) => ({ ...one, used: null })))
  })
})
