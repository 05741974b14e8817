import { describe, expect, it } from 'vitest'
import { type ActionRequest, type Interrupt, unknownEndDecisions } from '#shared/model/calls/interrupt.ts'
import type { InterruptId } from '#shared/model/ids.ts'
import {
  allowedDecisions,
  approval,
  availableActions,
  cardKind,
  draftOf,
  findHosts,
  oddCharactersOf,
  rejection,
} from '#shared/tools/card.ts'
import { emptyAnswer } from '../state/store/answers.ts'
import { callId, threadId } from '../state/store/entries.testkit.ts'
import {
  approvableAtOnce,
  cardKey,
  hostsIn,
  isLowRisk,
  kindOfAll,
  riskNow,
  shownApproval,
  summaryOf,
} from './approval-logic.ts'

const command: ActionRequest = {
  callId: callId('c1'),
  name: 'execute',
  args: { command: 'npm test', timeout: 60 },
  description: '',
  rule: '',
  risk: 'low',
}
const write: ActionRequest = {
  ...command,
  callId: callId('c2'),
  name: 'write_file',
  args: { file_path: '/a', content: 'x' },
}

describe('keys of a card', () => {
  it('do nothing before the card is armed, or while somebody types in it', () => {
    expect(cardKey('y', false, false)).toBeNull()
    expect(cardKey('y', true, true)).toBeNull()
  })

  it('approve, edit and reject', () => {
    const actions = ['y', 'E', 'n', 'l', 'x'].map((key) => cardKey(key, true, false))
    expect(actions).toEqual(['approve', 'edit', 'reject', 'allow', null])
  })
})

describe('decisions', () => {
  it('approve the original call if the edit changed nothing', () => {
    expect(approval(command, draftOf(command))).toEqual({ type: 'approve', callId: 'c1' })
    expect(approval(command, null)).toEqual({ type: 'approve', callId: 'c1' })
  })

  it('edit a command as text and keep its other arguments', () => {
    const draft = { ...draftOf(command), text: 'npm run lint' }
    expect(approval(command, draft)).toEqual({
      type: 'edit',
      callId: 'c1',
      args: { command: 'npm run lint', timeout: 60 },
    })
  })

  it('edit other calls as JSON, and refuse text that is not JSON', () => {
    const draft = draftOf(write)
    expect(approval(write, { ...draft, text: '{"file_path":"/b","content":"y"}' })).toMatchObject({
      type: 'edit',
      args: { file_path: '/b' },
    })
    for (const text of ['{', '[]', 'null', '"text"']) expect(approval(write, { ...draft, text })).toBeNull()
  })

  it('approve what a card shows: its edit while it is in sight, and the hosts', () => {
    const edited = { ...emptyAnswer, edited: 'npm run lint', network: 'a.example' }
    expect(shownApproval(command, edited)).toEqual({ type: 'approve', callId: 'c1', hosts: ['a.example'] })
    expect(shownApproval(command, { ...edited, editing: true })).toMatchObject({
      type: 'edit',
      args: { command: 'npm run lint' },
      hosts: ['a.example'],
    })
    expect(shownApproval(write, { ...emptyAnswer, edited: '{', editing: true })).toBeNull()
    expect(shownApproval(command)).toEqual({ type: 'approve', callId: 'c1' })
  })

  it('leave out an empty reason', () => {
    expect(rejection(command, '  ')).toEqual({ type: 'reject', callId: 'c1' })
    expect(rejection(command, 'no network')).toEqual({ type: 'reject', callId: 'c1', message: 'no network' })
  })
})

describe('an interrupt of several calls', () => {
  const risky: ActionRequest = { ...command, callId: callId('c3'), risk: 'high' }
  const question: ActionRequest = { ...command, callId: callId('c4'), name: 'ask_user' }
  const interrupt: Interrupt = {
    id: 'i' as InterruptId,
    threadId,
    agent: 'main',
    action_requests: [command, write, risky, question],
    review_configs: [
      { callId: command.callId, action_name: 'execute', allowed_decisions: ['approve', 'edit', 'reject'] },
      { callId: write.callId, action_name: 'write_file', allowed_decisions: ['approve', 'reject'] },
      { callId: risky.callId, action_name: 'execute', allowed_decisions: ['approve', 'reject'] },
      { callId: question.callId, action_name: 'ask_user', allowed_decisions: ['respond'] },
    ],
  }

  it('approves at once only calls that are neither risky nor questions', () => {
    expect(approvableAtOnce(interrupt, interrupt.action_requests)).toEqual([command, write])
  })

  it('approves together, over agents, only what is of low risk and looks like what it is', () => {
    const low = { ...command, args: { command: 'npm test' }, risk: 'low' } as const
    const odd = { ...low, args: { command: 'cat r\u0435adme' } }
    const judged = [low, { ...low, risk: 'medium' } as const, risky, odd]
    expect(judged.map((request) => isLowRisk(interrupt, request))).toEqual([true, false, false, false])
    expect(isLowRisk(interrupt, question)).toBe(false)
  })

  it('counts granted hosts as a risk', () => {
    const low = { ...command, risk: 'low', riskReason: 'sandboxed and offline' } as const
    expect(riskNow(low, [])).toEqual({ risk: 'low', riskReason: 'sandboxed and offline' })
    expect(riskNow(low, ['x.org'])).toEqual({ risk: 'medium', riskReason: 'it may reach x.org' })
    expect(riskNow(risky, ['x.org']).risk).toBe('high')
  })

  it('shows the card that fits the allowed answers', () => {
    const cut = { ...interrupt.review_configs[2], callId: risky.callId, action_name: 'execute' }
    const asked = { ...interrupt, review_configs: [{ ...cut, allowed_decisions: unknownEndDecisions }] }
    expect(cardKind(asked, risky)).toBe('end')
    expect([question, risky].map((request) => cardKind(interrupt, request))).toEqual(['question', 'approval'])
    expect(approvableAtOnce(asked, [risky])).toEqual([])
  })

  it('grants the hosts a person wrote, and offers the hosts of the command', () => {
    expect(hostsIn(' packages.example.com, github.com:443  *.example.com ')).toEqual([
      'packages.example.com',
      'github.com:443',
      '*.example.com',
    ])
    expect([hostsIn('https://x.org'), hostsIn('a b;c'), hostsIn('')]).toEqual([null, null, []])
    const fetching = {
      ...risky,
      name: 'execute',
      args: { command: 'curl https://u:p@x.org/a; git clone ssh://git@y.io:22/b' },
    }
    expect(findHosts(fetching)).toEqual(['x.org', 'y.io:22'])
    expect(approval(fetching, null, { granted: ['x.org'] })).toMatchObject({ type: 'approve', hosts: ['x.org'] })
    const edited = { argument: 'command', text: 'curl http://z.org' }
    expect(approval(fetching, edited, { granted: ['z.org'] })).toMatchObject({ type: 'edit', hosts: ['z.org'] })
    expect(approval(fetching, null)).not.toHaveProperty('hosts')
  })

  it('offers Always allow only when a rule could answer', () => {
    expect(availableActions(interrupt, command, false).has('allow')).toBe(true)
    expect(availableActions(interrupt, { ...command, allowable: false }, false).has('allow')).toBe(false)
  })

  it('sends words to the agent with an approval and with an edit', () => {
    expect(approval(risky, null, { message: ' only this once ' })).toMatchObject({
      type: 'approve',
      message: 'only this once',
    })
    const edited = { argument: 'command', text: 'ls' }
    expect(approval({ ...risky, name: 'execute' }, edited, { message: 'safer' })).toMatchObject({
      type: 'edit',
      message: 'safer',
    })
    expect(approval(risky, null, { message: ' ' })).not.toHaveProperty('message')
  })

  it('finds the decisions of a call by its id', () => {
    expect(allowedDecisions(interrupt, question)).toEqual(['respond'])
  })
})

it('names the words of a command whose characters are not what they look like', () => {
  const odd = (command: string, name = 'execute') => oddCharactersOf({ name, args: { command } })
  expect(odd('cat r\u0435adme.txt')).toEqual(['r\u0435adme.txt: looks like Latin e (Cyrillic)'])
  expect(odd('npm test && echo \u202e')).toEqual(['\u202e: direction override'])
  expect(odd('cat \u043f\u0440\u0438\u0432\u0435\u0442.txt; npm test')).toEqual([])
  expect(odd('r\u0435adme', 'write_file')).toEqual([])
})

it('decides a tried call as its card shows it, and one that printed a secret alone', () => {
  const effects = {
    ...{ exit_code: 0, output: 'key', changes: { written: [], deleted: [], renamed: [] }, hosts_refused: [] },
    ...{ duration_ms: 1, ignored_changes: 0, secrets: [] as [number, number][] },
  }
  const tried = { ...command, effects }
  const hosts = { ...emptyAnswer, network: 'a.example', edited: 'npm run lint' }
  expect(shownApproval(tried, hosts)).toEqual({ type: 'approve', callId: 'c1' })
  expect(shownApproval(tried, { ...hosts, editing: true })).toEqual({
    ...{ type: 'edit', callId: 'c1', hosts: ['a.example'], hold: true },
    args: { command: 'npm run lint', timeout: 60 },
  })
  const of = (...requests: readonly ActionRequest[]): Interrupt => ({
    ...{ id: 'i' as InterruptId, threadId, agent: 'main', action_requests: requests, review_configs: [] },
  })
  const printsKey = { ...tried, effects: { ...effects, secrets: [[0, 3]] as [number, number][] } }
  expect(approvableAtOnce(of(tried, printsKey), [tried, printsKey])).toEqual([tried])
  expect([isLowRisk(of(tried), tried), isLowRisk(of(printsKey), printsKey)]).toEqual([true, false])
  expect(summaryOf(tried)).toBe('Ran npm test')
  expect(summaryOf({ ...write, effects })).toBe('Wrote /a')
  expect([[tried], [command], [tried, command]].map(kindOfAll)).toEqual(['tried', 'asks', 'both'])
})

it('lists a question without its marks, and a command as it is', () => {
  const asks = (name: string, args: ActionRequest['args']) => summaryOf({ ...command, name, args })
  expect(asks('ask_user', { question: 'Round **half up** or `half even`?\nMore.' })).toBe(
    'ask_user Round half up or half even?',
  )
  expect(asks('execute', { command: 'ls **/*.ts **' })).toBe('execute ls **/*.ts **')
})
