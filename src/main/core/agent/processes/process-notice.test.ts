import { expect, it } from 'vitest'
import type { ProcessId } from '#shared/model/ids.ts'
import type { ProcessEnd } from '#shared/model/process.ts'
import type { LoopContext } from '../types/loop-context.ts'
import { injectProcessNotice } from './process-notice.ts'

/** What is stored for a process `a` that ended, in a conversation with this result. */
async function stored(by: ProcessEnd['by'], result: string, settled = new Set<ProcessId>()) {
  const end = { by, exitCode: 1, signal: null, note: 'Changes: wrote /x.', at: 0 }
  const process = { id: 'process_0', command: 'a', end, ports: [], isKept: false }
  const calls = new Map([
    ['call', { state: { kind: 'finished', result: { content: [{ type: 'text', text: result }] } } }],
  ])
  const thread = () => ({ messages: [], calls })
  const context = { processes: () => [process], thread, nextId: () => 'id' } as unknown as LoopContext
  const { value } = await injectProcessNotice(context, settled).next('stored')
  return JSON.stringify(value ?? [])
}

it('names a process that ended by itself, with what became of its changes', async () => {
  expect(await stored('itself', 'process_0 (a) runs.')).toContain(
    '- process_0 (a) ended with exit code 1. Changes: wrote /x.',
  )
})

it('is silent about an end that the agent caused, that a result says, or that was looked at before', async () => {
  expect(await stored('agent', 'process_0 (a) runs.')).toBe('[]')
  expect(await stored('itself', 'x\n\nprocess_0 (a) ended with exit code 1. Changes: wrote /x.')).toBe('[]')
  expect(await stored('itself', '', new Set(['process_0' as ProcessId]))).toBe('[]')
})
