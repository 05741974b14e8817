import { expect, it } from 'vitest'
import type { ThreadState } from '#shared/model/thread.ts'
import { agentCommands } from './agent-commands.ts'

const call = (name: string, kind: string, startedAt: number) => [
  `${name}${startedAt}`,
  { name, state: { kind }, startedAt, input: { command: `c${startedAt}` } },
]
const thread = (...calls: unknown[][]) => ({ calls: new Map(calls as [string, unknown][]) }) as unknown as ThreadState

it('lists the running and finished commands of all agents, newest first', () => {
  const threads = [
    thread(call('execute', 'finished', 1), call('execute', 'asking', 5), call('read_file', 'finished', 6)),
    thread(call('execute', 'running', 3)),
  ]
  expect(agentCommands(threads).map(({ command }) => command)).toEqual(['c3', 'c1'])
})
