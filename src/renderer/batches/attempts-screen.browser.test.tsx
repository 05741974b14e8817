import { ORPCError } from '@orpc/client'
import { Toaster } from 'sonner'
import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { type JudgedAttempt, verdictOf } from '#shared/model/calls/attempts.ts'
import { threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import { noUsage } from '#shared/model/models/usage.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { branchId, callId, created, event, messageId, threadId } from '../state/store/entries.testkit.ts'
import { BatchScreen } from './batch-screen.tsx'

const call = callId('attempts')

/** What was found of an attempt: the fifth is best, the last changed nothing, and the one before has the files of the fifth. */
function judged(index: number, n: number): JudgedAttempt {
  const isChanged = index < n - 1
  const outcome = index === 4 || index === n - 2 ? 'green' : index % 3 === 0 ? 'flaky' : 'red'
  const checks = isChanged ? [{ name: 'test', outcome } as const, { name: 'lint', outcome: 'green' } as const] : []
  return {
    ...{ index, verdict: verdictOf(isChanged, checks), checks, cost: index / 100 },
    ...(isChanged ? { files: 1 + (index % 4), lines: 10 + index } : { files: 0, lines: 0 }),
    findings: index === 4 ? [] : outcome === 'green' && isChanged ? ['It leaves /src/a.ts half done.'] : null,
    same: index === n - 2 ? 4 : null,
    stopped: index % 3 === 1 && outcome === 'red' ? 'Stopped early: 1 red, 1 green.' : null,
  }
}

function attemptEvents(n: number, running = false): readonly CoppiceEvent[] {
  let sequence = 0
  const next = (...[body, thread]: readonly [Parameters<typeof event>[1], ThreadId?]): CoppiceEvent => {
    sequence += 1
    return event(sequence, body, thread)
  }
  const input = { task: 'Make it fast', n, budget: 2, variants: [{ effort: 'low' }, { hint: 'Use an index.' }] }
  const begun = [
    next(created),
    next({ type: 'branch.forked', branchId, parentId: null, ownerThreadId: threadId, handle: null, name: 'Workspace' }),
    next({
      type: 'message',
      message: {
        role: 'assistant',
        messageId: messageId('m1'),
        content: [{ type: 'tool_call', callId: call, name: 'attempts', input }],
        stopReason: 'tool_use',
      },
    }),
    next({ type: 'tool.started', callId: call, name: 'attempts', input }),
    next({ type: 'batch.started', callId: call, folder: '/batch/', concurrency: 10, cost: 2 }),
  ]
  const all = Array.from({ length: n }, (_, index) => {
    const id = `agent-${index}` as ThreadId
    const own = `branch-${index}` as BranchId
    const handle = `subagent_${index}` as Handle
    const parent = { threadId, callId: call, handle, index, task: 'Make it fast', todoIndex: null }
    return [
      next(threadCreated(own, { agent: `attempt ${index + 1}`, parent, depth: 1 }), id),
      next({
        type: 'branch.forked',
        branchId: own,
        parentId: branchId,
        ownerThreadId: id,
        handle,
        name: `attempt ${index + 1}`,
      }),
      next({ type: 'run.started' }, id),
      next({ type: 'usage', model: 'demo', usage: { ...noUsage, cost: index / 100 } }, id),
      ...(running ? [] : [next({ type: 'run.ended', status: 'done', reason: 'completed', message: '' }, id)]),
    ]
  })
  if (running) return [...begun, ...all.flat()]
  const attempts = Array.from({ length: n }, (_, index) => judged(index, n))
  const result = { outcome: 'ok' as const, content: [] }
  return [
    ...begun,
    ...all.flat(),
    next({ type: 'batch.judged', callId: call, attempts, note: '' }),
    next({ type: 'tool.finished', callId: call, name: 'attempts', result, durationMs: 5, reads: [] }),
  ]
}

async function open(
  events: readonly CoppiceEvent[],
  handlers: Parameters<typeof renderInWindow>[1] = {},
  width = 1100,
): Promise<Awaited<ReturnType<typeof renderInWindow>>> {
  return renderInWindow(
    <div style={{ height: 700, width, display: 'flex' }}>
      <BatchScreen batch={{ threadId, callId: call }} />
      <Toaster />
    </div>,
    handlers,
    events,
  )
}

const table = page.getByRole('table', { name: 'Attempts' })
const names = (): readonly string[] =>
  [...table.element().querySelectorAll('tbody tr')].map((row) => row.querySelector('label')?.textContent ?? '')

it('lists a hundred attempts by their evidence, and draws only those in sight', async () => {
  await open(attemptEvents(100))
  await expect.element(table).toHaveAttribute('aria-rowcount', '101')
  await expect.poll(() => names().slice(0, 2)).toEqual(['attempt 5Best', 'attempt 99'])
  expect(names().length).toBeLessThan(60)
  await expect.element(table.getByText('same files as attempt 5')).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Take one' })).toBeEnabled()
  await userEvent.click(table.getByRole('button', { name: 'Show the findings of attempt 99' }))
  await expect.element(table.getByText('It leaves /src/a.ts half done.')).toBeVisible()
})

it('takes one by keyboard, and says what did not merge', async () => {
  const merged: unknown[] = []
  await open(attemptEvents(6), {
    'branches.merge': async (given) => {
      merged.push((given as { branchId: string }).branchId)
      const result = {
        status: 'merged',
        written: ['/a.ts'],
        deleted: [],
        renamed: [],
        merged: [],
        skipped: [],
        conflicts: [],
      }
      return { sequence: 99, result } as never
    },
  })
  ;(page.getByRole('button', { name: 'Take one' }).element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => merged).toEqual(['branch-4'])
  await expect.element(page.getByText('Took attempt 5')).toBeVisible()
})

it('discards the rest with one undo for all, also when one of them cannot be', async () => {
  const asked: string[] = []
  const undone: number[] = []
  await open(attemptEvents(6), {
    'branches.discard': async ({ branchId: id }) => {
      asked.push(id)
      if (asked.length === 3) throw new ORPCError('BAD_REQUEST', { message: 'It works.' })
      return { sequence: asked.length } as never
    },
    'branches.undo': async ({ sequence }) => void undone.push(sequence) as never,
  })
  await userEvent.click(page.getByRole('button', { name: 'Discard the rest' }))
  await expect.element(page.getByText('Discarded 2 attempts')).toBeVisible()
  await userEvent.click(page.getByRole('button', { name: 'Undo' }))
  await expect.poll(() => undone).toEqual([2, 1])
  await expect.element(page.getByText('It works.')).toBeVisible()
})

it('compares two or three, and goes to compose with those that were chosen', async () => {
  const { store } = (await open(attemptEvents(6))).session
  const compare = page.getByRole('button', { name: 'Compare' })
  await expect.element(compare).toBeDisabled()
  for (const name of ['attempt 5', 'attempt 1'])
    await userEvent.click(table.getByRole('checkbox', { name: `Choose ${name}` }))
  await userEvent.click(page.getByRole('button', { name: 'Compose' }))
  expect(store.getState().ui.composed).toMatchObject({
    branches: [{ branchId: 'branch-4' }, { branchId: 'branch-0' }],
  })
  await userEvent.click(compare)
  expect(store.getState().ui).toMatchObject({ tab: 'branches', compared: ['branch-4', 'branch-0'] })
  for (const name of ['attempt 2', 'attempt 3'])
    await userEvent.click(table.getByRole('checkbox', { name: `Choose ${name}` }))
  await expect.element(compare).toBeDisabled()
})

it('takes none while they run, and stops them', async () => {
  let stopped = 0
  await open(attemptEvents(3, true), {
    'batches.stop': async () => {
      stopped += 1
    },
  })
  await expect.element(page.getByRole('button', { name: 'Take one' })).toBeDisabled()
  await expect.element(page.getByRole('button', { name: 'Take attempt 1' })).toBeDisabled()
  await userEvent.click(page.getByRole('button', { name: 'Stop all' }))
  expect(stopped).toBe(1)
})
