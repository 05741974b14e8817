import { describe, expect, it } from 'vitest'
import { treeHash } from '#overlay'
import { testHashing } from '#overlay/testkit'
import type { Entry } from '#shared/model/entry.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { type AgentWorld, openWorld } from '../agent/agent-world.testkit.ts'
import { createMemoryJournal } from '../ports/journal.testkit.ts'
import { byTask } from '../ports/model-client.testkit.ts'
import { appendTo } from './project-log.testkit.ts'
import { openProjectLog, type ProjectLog } from './project-log.ts'

const threadId = 'thread' as ThreadId
const titled = (title: string) => ({ type: 'thread.titled', threadId, title }) as const

/** A day of work: files, subagents, a merge, a rejected command, a list and a requested summary. */
async function workedIn(): Promise<{ readonly world: AgentWorld; readonly id: ThreadId }> {
  const write = (file_path: string) => ({ name: 'write_file', input: { file_path, content: file_path } })
  const world = await openWorld({
    files: { '/base': 'old' },
    script: byTask({
      main: [
        { calls: [write('/a'), { name: 'write_todos', input: { todos: [{ content: 'one', status: 'pending' }] } }] },
        { calls: [{ name: 'spawn_subagents', input: { tasks: ['child 1', 'child 2'] } }] },
        {
          calls: [
            { name: 'merge_subagent', input: { handle: ['subagent_0'] } },
            { name: 'discard_subagent', input: { handle: 'subagent_1' } },
          ],
        },
        { calls: [{ name: 'execute', id: 'cmd', input: { command: 'rm base' } }] },
      ],
      child: [{ calls: [write('/child')] }, { text: 'done' }],
    }),
  })
  const id = await world.run('main')
  await world.decide({ callId: 'cmd' as never, type: 'reject' })
  await world.say(id, 'and now?')
  return { world, id }
}

/** Everything a log knows about a project, as plain data. */
function stateOf({ state, trees }: ProjectLog): unknown {
  const plain = (value: unknown): unknown => {
    if (value instanceof Map || (typeof value === 'object' && value !== null && 'touchedSince' in value))
      return [...(value as ReadonlyMap<unknown, unknown>)].map(([key, one]) => [key, plain(one)])
    if (Array.isArray(value)) return value.map(plain)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
    return value
  }
  const { past: _, ...seen } = state
  return [plain(seen), [...trees.heads].map(([branch, tree]) => [branch, treeHash(tree, testHashing)])]
}

describe('the log of a project', () => {
  it('has the same state when it is opened again', async () => {
    const { world } = await workedIn()
    const { log } = world.services
    const journal = createMemoryJournal(() => 0)
    for (const { sequence: _, at, ...draft } of log.entries()) journal.append([{ ...draft, at } as never])
    const timed = (entry: Entry) => ({ ...entry, at: log.entryAt(entry.sequence)?.at ?? 0 })
    const again = openProjectLog({ ...journal, each: () => [...journal.each()].map(timed) }, () => {})
    expect(stateOf(again)).toEqual(stateOf(log))
  })

  it('stores first, folds second and announces last', () => {
    const seen: string[] = []
    const journal = createMemoryJournal(() => 0)
    const log = openProjectLog(
      {
        ...journal,
        append(drafts) {
          seen.push(`store ${log.state.sequence}`)
          return journal.append(drafts)
        },
      },
      ({ sequence }) => seen.push(`announce ${sequence} at ${log.state.sequence}`),
    )
    appendTo(log, [titled('one'), titled('two')])
    expect(seen).toEqual(['store 0', 'announce 1 at 2', 'announce 2 at 2'])
  })

  it('is unchanged when the store refuses', () => {
    const announced: unknown[] = []
    const journal = createMemoryJournal(() => 0)
    const fails = () => {
      throw new Error('full')
    }
    const log = openProjectLog({ ...journal, append: fails }, (entry) => announced.push(entry))
    expect(() => appendTo(log, [titled('one')])).toThrow('full')
    expect([log.state.sequence, announced, log.entries()]).toEqual([0, [], []])
  })

  it('returns entries by position, by type, after a position and in pages', () => {
    const log = openProjectLog(
      createMemoryJournal(() => 0),
      () => {},
    )
    appendTo(log, [titled('1'), { type: 'run.started', threadId }, titled('3')])
    expect(log.entryAt(2)?.type).toBe('run.started')
    expect([log.entryAt(0), log.entryAt(4)]).toEqual([undefined, undefined])
    expect(log.entries(['thread.titled']).map(({ sequence }) => sequence)).toEqual([1, 3])
    expect(log.entriesAfter(1, ['thread.titled']).map(({ sequence }) => sequence)).toEqual([3])
    expect([...log.pages(2)].map((page) => page.map(({ sequence }) => sequence))).toEqual([[1, 2], [3]])
    expect([...log.pages(3)].map((page) => page.length)).toEqual([3, 0])
  })
})
