import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LayerId, MessageId, Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { type AgentWorld, openWorld } from '../agent/agent-world.testkit.ts'
import { byTask, type ModelScript, type ScriptedAnswer, turnOf } from '../ports/model-client.testkit.ts'
import { appendTo } from './project-log.testkit.ts'
import { type RewindScope, rewindDrafts, treeAt } from './rewind.ts'

const noticeId = 'notice' as MessageId
const both: RewindScope = { files: true, conversation: true }
const js = (code: string) => ({ name: 'run_js_code', input: { code } })

function rewind(
  world: AgentWorld,
  threadId: ThreadId,
  to: Sequence,
  scope = both,
  undoes: Sequence | null = null,
): Sequence {
  const { log } = world.services
  const [entry] = appendTo(log, rewindDrafts(log, { threadId, to, undoes, noticeId, ...scope }))
  return entry.sequence
}

/** One change of files per turn, by code. */
const change = fc.oneof(
  fc
    .tuple(fc.constantFrom('a', 'd/b', 'd/c', 'base'), fc.constantFrom('1', '2', ''))
    .map(([name, text]) => `await fs.write('/${name}', '${text}')`),
  fc.constantFrom('a', 'd', 'base').map((name) => `if (await fs.exists('/${name}')) await fs.delete('/${name}')`),
)

async function steps(codes: readonly string[]) {
  const script: ModelScript = (request) => {
    const code = codes[turnOf(request)]
    return code === undefined ? { text: 'Done.' } : { calls: [js(code)] }
  }
  const world = await openWorld({ files: { '/base': 'base', '/d/c': 'c' }, script })
  const seen: { readonly to: Sequence; readonly files: Readonly<Record<string, string>> }[] = []
  const id = world.runtime.begin(
    { title: 'main', model: 'scripted', approvalMode: 'auto' },
    () => [{ type: 'text', text: 'main' }],
    { step: true },
  )
  for (;;) {
    await world.whenIdle(id)
    const to = world.entries('checkpoint').at(-1)?.sequence ?? 0
    seen.push({ to, files: await world.files(id) })
    if (world.thread(id).status !== 'paused') return { world, id, seen }
    world.runtime.resume(id, { step: true })
  }
}

describe('a rewind', () => {
  it('restores the files of any checkpoint, and its redo restores the later ones', async () => {
    const property = fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 5 }),
      fc.array(fc.nat(10), { minLength: 1, maxLength: 4 }),
      async (codes, jumps) => {
        const { world, id, seen } = await steps(codes)
        for (const jump of jumps) {
          const { to, files } = seen[jump % seen.length] ?? { to: 0, files: {} }
          const before = await world.files(id)
          const beforeSequence = world.services.log.state.sequence
          const rewound = rewind(world, id, to)
          expect(await world.files(id)).toEqual(files)
          rewind(world, id, beforeSequence, both, rewound)
          expect(await world.files(id)).toEqual(before)
        }
      },
    )
    await fc.assert(property, { numRuns: 30 })
  })

  it('shows a branch as it was at any time, and nothing before its fork', async () => {
    const { world, id, seen } = await steps(["await fs.write('/a', '1')", "await fs.write('/a', '2')"])
    const { log } = world.services
    const { branchId } = world.thread(id)
    const heads = seen.map(({ to }) => treeAt(log, branchId, to))
    expect(heads.every((head) => head !== undefined)).toBe(true)
    expect(treeAt(log, branchId, 0)).toBeUndefined()
    expect(treeAt(log, 'none' as never, 10)).toBeUndefined()
  })

  const delegating: readonly ScriptedAnswer[] = [
    { calls: [{ name: 'write_file', input: { file_path: '/a', content: '1' } }] },
    { calls: [{ name: 'task', id: 't', input: { description: 'child' } }] },
  ]
  const open = async () => {
    const script = byTask({
      main: delegating,
      child: [{ calls: [{ name: 'write_file', input: { file_path: '/child', content: 'c' } }] }, { text: 'done' }],
    })
    const world = await openWorld({ script })
    const id = await world.run('main')
    const to =
      world.entries('checkpoint').find(({ sequence }) => sequence > (world.entries('tool.finished')[0]?.sequence ?? 0))
        ?.sequence ?? 0
    return { world, id, to }
  }

  it('undoes merges and later subagents, but not what was spent', async () => {
    const { world, id, to } = await open()
    const spent = world.thread(id).usage.modelCalls
    rewind(world, id, to)
    expect(await world.files(id)).toEqual({ '/a': '1' })
    expect([world.children(id), world.thread(id).usage.modelCalls]).toEqual([[], spent])
    expect(world.thread(id).messages.at(-1)?.role).toBe('assistant')
  })

  it('of files alone keeps the conversation, and tells the agent', async () => {
    const { world, id, to } = await open()
    const messages = world.thread(id).messages.length
    rewind(world, id, to, { files: true, conversation: false })
    expect([await world.files(id), world.thread(id).messages.length]).toEqual([{ '/a': '1' }, messages])
    await world.say(id, 'go on')
    expect(JSON.stringify(world.requests.at(-1)?.messages)).toContain(
      'The user took the files back to an earlier state.',
    )
  })

  it('of files alone tells the agent that what commands left is gone, even if no file changes', async () => {
    const { world, id } = await open()
    const { log } = world.services
    const { branchId } = world.thread(id)
    const to = log.state.sequence
    const layers = ['layer' as LayerId]
    appendTo(log, [{ type: 'environment.changed', threadId: id, branchId, layers, callId: 'call' as ToolCallId }])
    const drafts = rewindDrafts(log, { threadId: id, to, files: true, conversation: false, undoes: null, noticeId })
    expect(drafts.map(({ type }) => type)).toEqual(['rewound', 'message.queued'])
  })

  it('of files alone says nothing when no file changes', async () => {
    const { world, id } = await open()
    const { log } = world.services
    const drafts = rewindDrafts(log, {
      threadId: id,
      to: log.state.sequence,
      files: true,
      conversation: false,
      undoes: null,
      noticeId,
    })
    expect(drafts.map(({ type }) => type)).toEqual(['rewound'])
  })

  it('of the conversation alone keeps the files', async () => {
    const { world, id, to } = await open()
    rewind(world, id, to, { files: false, conversation: true })
    expect(await world.files(id)).toEqual({ '/a': '1', '/child': 'c' })
    const before = world.requests.length
    await world.say(id, 'what did you do?')
    const asked = JSON.stringify(world.requests[before]?.messages)
    expect([asked.includes('write_file'), asked.includes('child')]).toEqual([true, false])
  })
})
