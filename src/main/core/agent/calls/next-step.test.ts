import { describe, expect, it } from 'vitest'
import type { Call, CallState } from '#shared/model/calls/call.ts'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { Outcome } from '#shared/model/calls/outcome.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { outcomeQuestion, type Verdict } from '../../approval/policy.ts'
import type { Tool } from '../../tools/tool.ts'
import { type KnownCall, nextStep, type OpenCall } from './next-step.ts'

const path = (text: string) => text as VirtualPath
const outcome = (...places: readonly string[]): Outcome => ({
  ...{ input: {}, edited: false, tree: '', environment: [], after: null, ranAgain: null, patch: [], layers: null },
  ...{ places: places.map((one) => ({ path: path(one), blob: null })), result: '' as Outcome['result'] },
  ...{ exitCode: 0, refusedHosts: [], ignoredChanges: 0, reads: [], declares: [], durationMs: 0 },
})

const run: Verdict = { kind: 'run' }
const ask: Verdict = { kind: 'ask', ...outcomeQuestion }
const tryIt: Verdict = { kind: 'try', question: outcomeQuestion }
const decided = (about: 'run' | 'end'): CallState => ({ kind: 'decided', about: { kind: about } })
const seen: CallState = { kind: 'decided', about: { kind: 'outcome', outcome: outcome() } }

interface Given {
  readonly state?: CallState
  readonly decision?: Decision['type']
  readonly hold?: true
  readonly verdict?: Verdict | null
  readonly known?: Partial<KnownCall>
  readonly writes?: string
  readonly unreadable?: string
}

/** A call of a tool by its real facts. A verdict of null is not known yet. */
function open(name: string, given: Given = {}, callId = name): OpenCall {
  const { state = { kind: 'requested' }, decision, hold, verdict = run, known, writes, unreadable } = given
  const facts = name === 'unknown' ? undefined : (findToolFacts(name) as Tool)
  const runsBeside = name === 'task' ? ({ runsBesideItself: true } as const) : {}
  const command = facts?.access.command == null ? null : 'ls'
  const access = { reads: [], writes: writes === undefined ? [] : [path(writes)], lists: [], command }
  const call = {
    ...{ callId: callId as ToolCallId, name, input: {}, state, startedAt: state === seen ? 1 : null, unreadable },
    decision: decision === undefined ? null : { type: decision, callId, args: {}, message: 'said', hold },
  } as unknown as Call
  const fresh = { isFresh: true, passed: null, asks: null, waitsForOthers: false }
  const judged = verdict === null ? undefined : { verdict, access, ...fresh, ...known }
  return { call, tool: facts && Object.assign(toolOf(name), facts, runsBeside), known: judged }
}

const tools = new Map<string, Tool>()
/** The same tool for calls of the same name. */
function toolOf(name: string): Tool {
  const tool = tools.get(name) ?? ({} as Tool)
  tools.set(name, tool)
  return tool
}

/** The step in words: what is done, and to which calls. */
function stepOf(...calls: readonly OpenCall[]): string {
  const step = nextStep(calls, ['ls'])
  switch (step.kind) {
    case 'done':
    case 'wait':
      return step.kind
    case 'answer':
      return `answer ${step.answers.map(({ call, outcome: how }) => `${call.callId} ${how}`).join()}`
    case 'ask about ends':
      return `${step.kind} ${step.calls.map(({ callId }) => callId).join()}`
    case 'try':
      return `try ${step.call.call.callId} on ${step.below.map(({ callId }) => callId).join() || 'the branch'}${step.isNext ? ', next' : ''}`
    case 'keep':
      return `keep ${step.call.call.callId}${step.isSeen ? '' : ' unseen'}`
    default:
      return `${step.kind} ${step.calls.map(({ call }) => call.callId).join()}`
  }
}

const asking: CallState = { kind: 'asking', about: { kind: 'run' } }
const keptBack: CallState = { kind: 'kept back', outcome: outcome() }

describe('the next step', () => {
  it('is none when every call has its result', () => {
    expect(stepOf()).toBe('done')
  })

  it('judges what nobody has judged', () => {
    expect(stepOf(open('ls', { verdict: null }), open('execute', { verdict: null }), open('task'))).toBe(
      'judge ls,execute',
    )
  })

  it('answers what cannot run', () => {
    expect(stepOf(open('unknown', { verdict: null }), open('ls', { unreadable: '{' }))).toBe(
      'answer unknown error,ls error',
    )
    expect(stepOf(open('execute', { verdict: { kind: 'refuse', message: 'no' } }), open('ls'))).toBe(
      'answer execute error',
    )
  })

  it('lets a person’s approval stand against a rule, but judges a person’s edit and what was kept back', () => {
    const refuse: Verdict = { kind: 'refuse', message: 'no' }
    expect(stepOf(open('move', { state: decided('run'), decision: 'approve', verdict: refuse }))).toBe('run move')
    expect(stepOf(open('move', { state: decided('run'), decision: 'edit', verdict: refuse }))).toBe('answer move error')
    expect(stepOf(open('execute', { state: seen, decision: 'approve', verdict: refuse }))).toBe('answer execute error')
    expect(stepOf(open('execute', { state: seen, decision: 'reject', verdict: refuse }))).toBe(
      'answer execute rejected',
    )
  })

  it('asks how a run ended that a crash cut off, unless it counts as not begun or can run again', () => {
    const running = (cut: 'unknown' | 'never began' | 'runs again'): CallState => ({ kind: 'running', cut })
    expect(stepOf(open('execute', { state: running('unknown') }))).toBe('ask about ends execute')
    expect(stepOf(open('execute', { state: running('runs again') }), open('ls'))).toBe('ask about ends execute')
    expect(stepOf(open('write_file', { state: running('runs again') }))).toBe('run write_file')
    expect(stepOf(open('execute', { state: running('never began'), verdict: tryIt }))).toMatch(/^try execute/)
    const passed = open('execute', { state: running('unknown'), known: { passed: outcome() } })
    expect(stepOf(open('ls'), passed), 'what waits for its turn has ended').toBe('run ls')
  })

  it('tries commands on top of each other, until one needs something that is not done', () => {
    const first = open('execute', { state: keptBack }, 'a')
    const second = open('execute', { verdict: tryIt }, 'b')
    expect(stepOf(open('ls'), second)).toBe('try b on the branch')
    expect(stepOf(second)).toBe('try b on the branch, next')
    expect(stepOf(first, second)).toBe('try b on a')
    expect(stepOf(open('write_file'), second)).toBe('run write_file')
    const wroteBeside: CallState = { kind: 'kept back', outcome: outcome('/memories/a') }
    expect(stepOf(open('execute', { state: wroteBeside }, 'a'), second)).toBe('ask a')
  })

  it('tries edits past what asks, so that one interrupt asks about everything', () => {
    const edit = open('edit_file', { verdict: tryIt, writes: '/b' })
    expect(stepOf(open('execute', { verdict: ask }), edit)).toBe('try edit_file on the branch')
    expect(stepOf(open('execute', { verdict: ask }), open('edit_file', { state: keptBack }))).toBe(
      'ask execute,edit_file',
    )
    const wroteBeside: CallState = { kind: 'kept back', outcome: outcome('/memories/a') }
    const memory = open('write_file', { state: wroteBeside }, 'a')
    expect(stepOf(memory, edit)).toBe('try edit_file on a')
    expect(stepOf(memory, open('edit_file', { verdict: tryIt, writes: '/memories/a' }))).toBe('ask a')
    expect(stepOf(memory, open('run_js_code', { verdict: tryIt }))).toBe('ask a')
  })

  it('tries an edit again that failed, once the calls before it are done', () => {
    const failed = open('edit_file', { verdict: tryIt, known: { waitsForOthers: true } })
    expect(stepOf(open('execute', { verdict: ask }), failed)).toBe('ask execute')
    expect(stepOf(failed)).toBe('try edit_file on the branch, next')
  })

  it('runs reads while a person is asked, and then waits', () => {
    const waiting = open('execute', { state: asking })
    expect(stepOf(open('ls'), waiting, open('grep'), open('write_file'))).toBe('run ls,grep')
    expect(stepOf(waiting, open('write_file'))).toBe('wait')
    expect(stepOf(waiting, open('write_file', { verdict: tryIt }))).toBe('wait')
  })

  it('carries answers out in the model’s order', () => {
    const approved = open('execute', { state: decided('run'), decision: 'approve' })
    expect(stepOf(approved, open('move', { state: decided('run'), decision: 'reject' }))).toBe('answer move rejected')
    expect(stepOf(open('write_file'), approved)).toBe('run write_file')
    expect(stepOf(open('execute', { state: decided('end'), decision: 'mark_done' }))).toBe('answer execute ok')
    expect(stepOf(open('execute', { state: decided('end'), decision: 'run_again' }))).toBe('run execute')
    expect(stepOf(open('ask_user', { state: decided('run'), decision: 'respond' }))).toBe('answer ask_user ok')
  })

  it('keeps what a person has seen, and tries again what a person edited to see it again', () => {
    expect(stepOf(open('execute', { state: seen, decision: 'approve' }))).toBe('keep execute')
    expect(stepOf(open('execute', { state: seen, decision: 'edit', hold: true }))).toBe(
      'try execute on the branch, next',
    )
    expect(stepOf(open('execute', { state: seen, decision: 'edit' }))).toBe('run execute')
  })

  it('keeps in its turn what nobody is asked about', () => {
    const passed = open('edit_file', { verdict: tryIt, known: { passed: outcome() } })
    expect(stepOf(open('ls'), passed)).toBe('run ls')
    expect(stepOf(passed)).toBe('keep edit_file unseen')
    expect(stepOf(passed, open('execute', { verdict: tryIt }))).toBe('try execute on edit_file')
  })

  it('judges a call again before it runs, when another one ran since', () => {
    expect(stepOf(open('write_file', { known: { isFresh: false } }), open('ls', { known: { isFresh: false } }))).toBe(
      'judge write_file',
    )
    expect(stepOf(open('write_file'), open('ls', { known: { isFresh: false } }))).toBe('run write_file')
  })

  it('runs neighbouring reads and neighbouring tasks at once, and everything else one by one', () => {
    expect(stepOf(open('ls'), open('grep'), open('write_file'), open('glob'))).toBe('run ls,grep')
    expect(stepOf(open('write_file'), open('ls'))).toBe('run write_file')
    expect(stepOf(open('task', {}, 't1'), open('task', {}, 't2'), open('spawn_subagents'))).toBe('run t1,t2')
    expect(stepOf(open('spawn_subagents', {}, 's1'), open('spawn_subagents', {}, 's2'))).toBe('run s1')
  })
})
