import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ModelScript, type ScriptedAnswer, turnOf } from '../../ports/model-client.testkit.ts'
import type { ModelRequest } from '../../ports/model-client.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { noTuning } from '../types/tuning.ts'
import { planCompaction } from './compaction.ts'

/** Conversations that grow longer than the model's window. */
const line = `${'x'.repeat(80)}\n`
const names = ['a', 'b', 'c', 'd', 'e', 'f']
const files = Object.fromEntries(names.map((name) => [`/${name}`, `${name} ${line}`.repeat(50)]))
const isSummary = (request: ModelRequest) => request.system.includes('You summarise the working')
const textIn = (request: ModelRequest | undefined) => JSON.stringify(request?.messages)

/** A model that reads one file per reply. The provider counts a quarter of the characters sent to it. */
function reader(summary: ScriptedAnswer = { text: 'SUMMARY OF WHAT WAS READ' }): ModelScript {
  let reads = 0
  return (request) => {
    const usage = { inputTokens: Math.round(JSON.stringify(request.messages).length / 4) }
    if (isSummary(request)) return { ...summary, usage }
    if (turnOf(request) === 0) reads = 0
    const name = names[reads]
    reads += 1
    return name ? { calls: [{ name: 'read_file', input: { file_path: `/${name}` } }], usage } : { text: 'Done.', usage }
  }
}
const small = { summarisation: { tokens: 4_000, share: 1 } }

/** Ids of calls without results and of results without calls. */
function unpaired({ messages }: ModelRequest): readonly string[] {
  const parts = messages.flatMap(({ content }) => content as readonly { type: string; callId?: string }[])
  const of = (type: string) => parts.flatMap((part) => (part.type === type ? [part.callId ?? ''] : []))
  const [calls, results] = [of('tool_call'), of('tool_result')]
  return [...calls.filter((id) => !results.includes(id)), ...results.filter((id) => !calls.includes(id))]
}

describe('a conversation that grows too long', () => {
  it('keeps every word of the user, a summary of the rest, and the results of all calls', async () => {
    const world = await openWorld({ files, script: reader(), settings: small })
    const id = await world.run('read all files. KEEP-THIS-SENTENCE')
    await world.say(id, 'and now? KEEP-THIS-TOO')
    expect(world.thread(id).status).toBe('done')
    expect(world.requests.some(isSummary)).toBe(true)
    const last = world.requests.at(-1)
    for (const kept of ['SUMMARY OF WHAT WAS READ', 'KEEP-THIS-SENTENCE', 'KEEP-THIS-TOO'])
      expect(textIn(last)).toContain(kept)
    expect(textIn(last).length).toBeLessThan(30_000)
    for (const request of world.requests) expect(unpaired(request)).toEqual([])
  })

  it('is kept in full as a file that the agent can read', async () => {
    const world = await openWorld({ files, script: reader(), settings: small })
    const id = await world.run('read all files')
    const { file = '' } = world.thread(id).compaction ?? {}
    expect(file).toBe(`/conversation_history/${id}.md`)
    expect(world.scratch(id, file)).toContain('read all files')
    expect(world.scratch(id, file)).toContain(`1\ta ${line}`)
    expect(world.requests.at(-1)?.messages.some((message) => JSON.stringify(message).includes(file))).toBe(true)
  })

  it('is summarised once it reaches the length in the settings, and not before', async () => {
    for (const [tokens, expected] of [
      [1_000_000, false],
      [4_000, true],
    ] as const) {
      const world = await openWorld({ files, script: reader(), settings: { summarisation: { tokens, share: 1 } } })
      await world.run('read all files')
      expect(world.requests.some(isSummary), `${tokens}`).toBe(expected)
    }
  })

  it.each([
    [1_000_000, false],
    [10_000, true],
  ])('may fill a share of a window of %i tokens', async (contextWindow, expected) => {
    const settings = { summarisation: { tokens: 1_000_000, share: 0.5 } }
    const world = await openWorld({ files, script: reader(), settings, contextWindow })
    await world.run('read all files')
    expect(world.requests.some(isSummary)).toBe(expected)
  })

  it('is next summarised from its last summary on, without reading the covered part again', async () => {
    const world = await openWorld({ files, script: reader(), settings: small })
    const id = await world.run('read all files')
    await world.say(id, 'read them once more')
    await world.say(id, 'and now?')
    const summaries = world.requests.filter(isSummary).map(textIn)
    expect(summaries.length).toBeGreaterThan(1)
    expect(summaries.at(-1)).toMatch(/<earlier_summary [\w-]+>\\nSUMMARY OF WHAT WAS READ/)
    const covered = world.entries('compacted')
    expect(new Set(covered.map(({ keptFrom }) => keptFrom)).size).toBe(covered.length)
    for (const request of world.requests) expect(unpaired(request)).toEqual([])
  })

  it.each<[string, ScriptedAnswer]>([
    ['is empty', { text: ' \n' }],
    ['is not given', {}],
  ])('continues unchanged when the summary %s, and the cost still counts', async (_, summary) => {
    const world = await openWorld({ files, script: reader(summary), settings: small })
    const id = await world.run('read all files')
    expect([world.thread(id).status, world.thread(id).compaction]).toEqual(['done', null])
    expect(world.requests.filter(isSummary).length).toBeGreaterThan(0)
    expect(world.thread(id).usage.modelCalls).toBe(world.requests.length)
  })

  it('is summarised by the model of the settings, and by its own when that one fails', async () => {
    const script = reader()
    const world = await openWorld({
      files,
      settings: { ...small, summaryModel: 'tiny' },
      script: (request, seen) =>
        request.model === 'tiny'
          ? { fault: { afterEvents: 0, with: 'context_window_exceeded' } }
          : script(request, seen),
    })
    const id = await world.run('read all files')
    expect(
      world.requests
        .filter(isSummary)
        .slice(0, 2)
        .map(({ model }) => model),
    ).toEqual(['tiny', 'scripted'])
    expect(world.thread(id).compaction?.summary).toContain('SUMMARY OF WHAT WAS READ')
  })

  // Mutation: when a summary is due whatever it saves, there is one at each step.
  it('is not summarised again and again when its prompt alone fills the window', async () => {
    let step = 0
    const script: ModelScript = (request) => {
      if (isSummary(request)) return { text: 'SUMMARY' }
      step += 1
      const usage = { inputTokens: 100_000 }
      return step < 30 ? { calls: [{ name: 'ls', input: {} }], usage } : { text: 'Done.', usage }
    }
    const world = await openWorld({ script, settings: { summarisation: { tokens: 4_000, share: 1 } } })
    await world.run('look thirty times')
    expect(world.requests.filter(isSummary).length).toBeLessThanOrEqual(6)
  })

  // Mutation: without the memory of the failed summary, each later step pays for another one.
  it.each<[string, ScriptedAnswer]>([
    ['nothing', { text: ' ' }],
    ['an error', { fault: { afterEvents: 0, with: 'bad_request' } }],
  ])('is not summarised at each step by a model that gives %s', async (_, answer) => {
    let step = 0
    const script: ModelScript = (request) => {
      if (isSummary(request)) return answer
      step += 1
      const usage = { inputTokens: 5_000 + step }
      return step < 30
        ? { calls: [{ name: 'read_file', input: { file_path: '/a' } }], usage }
        : { text: 'Done.', usage }
    }
    const world = await openWorld({ files: { '/a': `${line}\n` }, script, settings: small })
    await world.run('look thirty times')
    expect(world.requests.filter(isSummary).length).toBeLessThanOrEqual(2)
  })

  it('is summarised in smaller pieces when the server finds the pieces too long', async () => {
    const read = reader()
    const world = await openWorld({
      files,
      contextWindow: 12_000,
      settings: { summarisation: { tokens: 4_000, share: 1 } },
      script: (request, seen) =>
        isSummary(request) && textIn(request).length > 8_000
          ? { fault: { afterEvents: 0, with: 'context_window_exceeded' } }
          : read(request, seen),
    })
    const id = await world.run('read all files')
    expect(world.thread(id).compaction?.summary).toBe('SUMMARY OF WHAT WAS READ')
  })

  it('continues unchanged when the model fails to summarise', async () => {
    const fails = { fault: { afterEvents: 0, with: 'bad_request' } } as const
    const world = await openWorld({ files, script: reader(fails), settings: small })
    const id = await world.run('read all files')
    expect([world.thread(id).status, world.thread(id).compaction]).toEqual(['done', null])
    expect(world.entries('usage').filter((entry) => entry.for === 'summary')).toEqual([])
  })

  it('is summarised and sent again when the provider finds it too long', async () => {
    let overflowed = false
    const read = reader()
    const world = await openWorld({
      files,
      script(request, seen) {
        if (isSummary(request) || turnOf(request) !== 4 || overflowed) return read(request, seen)
        overflowed = true
        return { fault: { afterEvents: 0, with: 'context_window_exceeded' } }
      },
    })
    const id = await world.run('read all files')
    expect([world.thread(id).status, world.requests.filter(isSummary).length]).toEqual(['done', 1])
  })

  it('ends the run when the provider finds it too long and nothing is left to summarise', async () => {
    const world = await openWorld({ script: () => ({ fault: { afterEvents: 0, with: 'context_window_exceeded' } }) })
    const id = await world.run('one message')
    expect(world.thread(id).end).toMatchObject({ status: 'failed', reason: 'context_window_exceeded' })
    expect(world.requests).toHaveLength(1)
  })
})

describe('a person', () => {
  it('can have it summarised at any time, in a run that asks for nothing else', async () => {
    const world = await openWorld({ files, script: reader() })
    const id = await world.run('read all files')
    const before = world.requests.length
    world.runtime.compact(id)
    await world.whenIdle(id)
    expect(world.requests.slice(before).map(isSummary)).toEqual([true])
    expect(world.thread(id)).toMatchObject({
      status: 'done',
      compactionRequested: false,
      compaction: { summary: 'SUMMARY OF WHAT WAS READ' },
    })
    expect(world.services.live.filter(({ type }) => type === 'context.compacting')).toHaveLength(1)
  })

  it('who wants a short conversation summarised is done at once, without a model call', async () => {
    const world = await openWorld()
    const id = await world.run('hello')
    world.runtime.compact(id)
    await world.whenIdle(id)
    expect(world.thread(id)).toMatchObject({ status: 'done', compactionRequested: false, compaction: null })
    expect(world.requests).toHaveLength(1)
  })

  it('who pasted a long text finds it in a file that the conversation names', async () => {
    const world = await openWorld({ files, script: reader() })
    const id = await world.run(`read all files. ${'PASTED '.repeat(4000)}`)
    world.runtime.compact(id)
    await world.whenIdle(id)
    await world.say(id, 'go on')
    const [, file = ''] =
      /a long text, now in (\/conversation_history\/[\w-]+\.txt)/.exec(textIn(world.requests.at(-1))) ?? []
    expect(world.scratch(id, file)).toContain('PASTED PASTED')
    expect(textIn(world.requests.at(-1))).not.toContain('PASTED')
  })
})

describe('what a compaction takes out', () => {
  const message = fc.oneof(
    fc.constant({ role: 'user', calls: 0 }),
    fc.nat(2).map((calls) => ({ role: 'assistant', calls })),
  )

  it('is always the beginning, and the last six messages as the model counts them always stay', () => {
    const property = fc.property(
      fc.array(message, { maxLength: 30 }),
      fc.integer({ min: 1, max: 8 }),
      (drawn, least) => {
        const messages = drawn.map(({ role, calls }, index) => ({
          role,
          messageId: `m${index}`,
          content: Array.from({ length: calls }, (_, call) => ({ type: 'tool_call', callId: `c${index}-${call}` })),
        }))
        const plan = planCompaction({ messages, compaction: null } as never, least)
        if (!plan) return
        const from = messages.findIndex(({ messageId }) => messageId === plan.keptFrom)
        expect(plan.covered).toEqual(messages.slice(0, from))
        expect(plan.covered.some(({ role }) => role === 'assistant')).toBe(true)
        const weightOf = (kept: typeof messages) =>
          kept.reduce((sum, { content }) => sum + (content.length > 0 ? 2 : 1), 0)
        expect(weightOf(messages.slice(from))).toBeGreaterThanOrEqual(least)
        expect(weightOf(messages.slice(from + 1))).toBeLessThan(least)
      },
    )
    fc.assert(property, { numRuns: 300 })
  })
})

describe('compact', () => {
  const call = (name: string, input = {}): ScriptedAnswer => ({ calls: [{ name, input }] })
  const reads = names.map((name) => call('read_file', { file_path: `/${name}` }))

  /** Reads all files, then does what `steps` say. */
  const script =
    (summary: ScriptedAnswer, ...steps: readonly ScriptedAnswer[]): ModelScript =>
    (request, { count }) => {
      if (isSummary(request)) return summary
      return [...reads, ...steps][count] ?? { text: 'Done.' }
    }

  // Mutation: without the entry of the tool, no summary is asked for.
  it('summarises before the next reply, by the road of the automatic summary', async () => {
    const world = await openWorld({ files, script: script({ text: 'SUMMARY' }, call('compact')) })
    const id = await world.run('read all. KEEP-THIS')
    const [result = ''] = Object.values(world.results(id)).slice(-1)
    expect(result).toContain('before your next reply')
    const last = textIn(world.requests.at(-1))
    expect(last).toContain('SUMMARY')
    expect(last).toContain('KEEP-THIS')
    expect(last).not.toContain('a xxx')
    expect(world.scratch(id, world.thread(id).compaction?.file ?? '')).toContain('a xxx')
    for (const request of world.requests) expect(unpaired(request)).toEqual([])
  })

  it('says that there is nothing to summarise, and asks no model', async () => {
    const world = await openWorld({ script: (_, { count }) => (count === 0 ? call('compact') : { text: 'Done.' }) })
    const id = await world.run('look')
    expect(Object.values(world.results(id))[0]).toContain('nothing to summarise')
    expect([world.requests.length, world.thread(id).compactionRequested]).toEqual([2, false])
  })

  it('tells the agent when no summary came', async () => {
    const world = await openWorld({ files, script: script({ text: '' }, call('compact')) })
    await world.run('read all')
    expect(textIn(world.requests.at(-1))).toContain('was not summarised')
  })

  it('is not offered where a person switched summaries off', async () => {
    const stages = [{ name: 'summary', enabled: false, tokens: null, share: null, mode: null }] as const
    const world = await openWorld({ settings: { tuning: { ...noTuning, stages } } })
    await world.run('look')
    expect(world.requests[0]?.tools.map(({ name }) => name)).not.toContain('compact')
  })
})
