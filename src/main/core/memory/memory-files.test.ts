import { describe, expect, it } from 'vitest'
import { projectThread } from '#shared/model/ids.ts'
import { openWorld } from '../agent/agent-world.testkit.ts'
import { appendTo } from '../journal/project-log.testkit.ts'
import { byTask, type ScriptedCall } from '../ports/model-client.testkit.ts'
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
