import { ORPCError } from '@orpc/client'
import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import { noUsage } from '#shared/model/models/usage.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { branchId, callId, created, event, messageId, threadId } from '../state/store/entries.testkit.ts'
import { BatchScreen } from './batch-screen.tsx'

const tasks = 1_000

/** A batch whose tasks have ended; each thirteenth failed. */
function batchEvents(): readonly CoppiceEvent[] {
  let sequence = 0
  const next = (...[body, thread]: readonly [Parameters<typeof event>[1], ThreadId?]): CoppiceEvent => {
    sequence += 1
    return event(sequence, body, thread)
  }
  const call = callId('batch')
  const input = { tasks: Array.from({ length: tasks }, (_, index) => `Translate page ${index}`) }
  const begun = [
    next(created),
    next({
      type: 'message',
      message: {
        role: 'assistant',
        messageId: messageId('m1'),
        content: [{ type: 'tool_call', callId: call, name: 'batch_task', input }],
        stopReason: 'tool_use',
      },
    }),
    next({ type: 'tool.started', callId: call, name: 'batch_task', input }),
    next({ type: 'batch.started', callId: call, folder: '/batch/', concurrency: 10 }),
  ]
  const subagents = Array.from({ length: tasks }, (_, index) => {
    const id = `agent-${index}` as ThreadId
    const own = `branch-${index}` as BranchId
    const handle = `subagent_${index}` as Handle
    const parent = { threadId, callId: call, handle, index, task: `Translate page ${index}`, todoIndex: null }
    const failed = index % 13 === 5
    return [
      next(threadCreated(own, { agent: `page-${index}`, parent, depth: 1 }), id),
      next({ type: 'branch.forked', branchId: own, parentId: branchId, ownerThreadId: id, handle, name: handle }, id),
      next({ type: 'run.started' }, id),
      next({ type: 'usage', model: 'demo', usage: { ...noUsage, inputTokens: index, cost: index / 1_000 } }, id),
      next(
        {
          type: 'run.ended',
          status: failed ? 'failed' : 'done',
          reason: failed ? 'model_error' : 'completed',
          message: failed ? `Scripted status ${index}: ${'a long reason '.repeat(30)}` : '',
        },
        id,
      ),
    ]
  })
  return [...begun, ...subagents.flat()]
}

async function openBatch(width = 1000): Promise<void> {
  await renderInWindow(
    <div style={{ height: 700, width, display: 'flex' }}>
      <BatchScreen batch={{ threadId, callId: callId('batch') }} />
    </div>,
    {
      'settings.get': async () => {
        throw new Error('No settings in this test.')
      },
    },
    batchEvents(),
  )
}

const table = page.getByRole('table', { name: 'Tasks' })
const rowsDrawn = (): number => table.element().querySelectorAll('tbody tr').length
const tasksDrawn = (): readonly string[] =>
  [...table.element().querySelectorAll('tbody tr')].map((row) => row.querySelector('td')?.textContent ?? '')

it('draws a batch of a thousand with few rows, few shapes, and charts that can be read by keyboard', async () => {
  await openBatch()
  await expect.element(table).toHaveAttribute('aria-rowcount', '1001')
  await expect.poll(rowsDrawn).toBeGreaterThan(5)
  expect(rowsDrawn()).toBeLessThan(60)
  expect(document.querySelectorAll('svg rect, svg path').length).toBeLessThan(1_000)
  await expect.element(page.getByRole('button', { name: 'Unsuccessful 77' })).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'All 1000' })).toBeVisible()

  const ends = page.getByRole('group', { name: /^Ended over time/ })
  ;(ends.element() as HTMLElement).focus()
  await userEvent.keyboard('{End}{ArrowLeft}')
  await expect
    .element(page.getByRole('region', { name: 'Ended over time' }).getByRole('status'))
    .toHaveTextContent(/successful, \d+ unsuccessful/)
  await expect.element(page.getByRole('region', { name: 'Why some failed' })).toHaveTextContent('Scripted status #')
  expect(page.getByRole('region', { name: 'Cost over time' }).getByRole('row').elements()).toHaveLength(49)
})

it('sorts by cost and unfolds a long error', async () => {
  await openBatch()
  await userEvent.click(table.getByRole('button', { name: 'Cost' }))
  await expect.poll(() => tasksDrawn()[0]).toBe('1000')
  await expect.element(table.getByRole('columnheader', { name: 'Cost' })).toHaveAttribute('aria-sort', 'descending')
  await userEvent.click(page.getByRole('button', { name: 'Unsuccessful' }))
  const error = table.getByRole('button', { name: /^Scripted status/ }).first()
  const folded = error.element().getBoundingClientRect().height
  await userEvent.click(error)
  await expect.element(error).toHaveAttribute('aria-expanded', 'true')
  await expect.poll(() => error.element().getBoundingClientRect().height).toBeGreaterThan(folded * 2)
})

it('sets the status on the line of its row', async () => {
  await openBatch()
  await expect.poll(rowsDrawn).toBeGreaterThan(5)
  const [number, status] = ['td:first-child', 'td svg + span'].map((selector) => {
    const range = document.createRange()
    range.selectNodeContents(table.element().querySelector(`tbody ${selector}`) ?? document.body)
    const { top, height } = range.getBoundingClientRect()
    return top + height / 2
  })
  expect(Math.abs((number ?? 0) - (status ?? 99))).toBeLessThanOrEqual(1)
})

it('keeps the task and its result in sight at the width that two sides leave', async () => {
  await openBatch(718)
  for (const name of ['Task', 'Result']) {
    const head = table.getByRole('columnheader', { name, exact: true })
    await expect.poll(() => head.element().getBoundingClientRect().width).toBeGreaterThan(100)
  }
})

/** A batch of five tasks under way: one has ended, one works, three are queued. */
async function openRunning(
  change: (given: Readonly<Record<string, unknown>>) => Promise<void>,
  changes: readonly object[] = [],
): Promise<void> {
  const events = batchEvents().slice(0, 4)
  const input = { tasks: ['a', 'b', 'c', 'd', 'e'] }
  const begun = events.map((one) => ('input' in one ? { ...one, input } : one))
  const subagents = ['a', 'b'].flatMap((task, index) => {
    const id = `agent-${task}` as ThreadId
    const [own, handle] = [`branch-${task}` as BranchId, `subagent_${index}` as Handle]
    const parent = { threadId, callId: callId('batch'), handle, index, task, todoIndex: null }
    const at = 10 + index * 10
    return [
      event(at, threadCreated(own, { agent: task, parent, depth: 1 }), id),
      event(at + 1, { type: 'run.started' }, id),
      event(at + 2, { type: 'usage', model: 'demo', usage: { ...noUsage, cost: 1 } }, id),
      ...(index === 0
        ? [event(at + 3, { type: 'run.ended', status: 'done', reason: 'completed', message: '' }, id)]
        : []),
    ]
  })
  const changed = changes.map((one, index) =>
    event(50 + index, { type: 'batch.changed', callId: callId('batch'), ...one } as never),
  )
  await renderInWindow(
    <div style={{ height: 700, width: 1000, display: 'flex' }}>
      <BatchScreen batch={{ threadId, callId: callId('batch') }} />
    </div>,
    {
      'settings.get': async () => {
        throw new Error('No settings in this test.')
      },
      'batches.change': change as never,
    },
    [...begun, ...subagents, ...changed],
  )
}

it('changes a running batch by keyboard: width, price, more tasks, fewer tasks', async () => {
  const given: object[] = []
  await openRunning(async ({ projectId: _, threadId: __, callId: ___, ...change }) => {
    given.push(change)
  })
  const opener = page.getByRole('button', { name: 'Change this batch' })
  ;(opener.element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(opener).toHaveAttribute('aria-expanded', 'true')
  await userEvent.fill(page.getByLabelText('Tasks at once'), '3')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => given.length).toBe(1)
  await userEvent.fill(page.getByLabelText('May cost, in US dollars'), '2.5')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => given.length).toBe(2)
  await userEvent.fill(page.getByLabelText('May cost, in US dollars'), '')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => given.length).toBe(3)
  await userEvent.fill(page.getByLabelText('More tasks, one in each line'), 'x\n\n y ')
  await userEvent.keyboard('{Tab}{Enter}')
  await expect.poll(() => given.length).toBe(4)
  await expect.element(page.getByLabelText('More tasks, one in each line')).toHaveValue('')
  await userEvent.keyboard('{Tab}')
  ;(page.getByRole('button', { name: 'Drop 3 queued' }).element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => given.length).toBe(5)
  await userEvent.click(table.getByRole('button', { name: 'Drop task 3, which has not started' }))
  await expect
    .poll(() => given)
    .toEqual([
      { concurrency: 3 },
      { cost: 2.5 },
      { cost: null },
      { add: ['x', 'y'] },
      { drop: 'queued' },
      { drop: [3] },
    ])
})

it('says why nothing more starts, what was changed, and what was refused', async () => {
  await openRunning(async () => {
    throw new ORPCError('BAD_REQUEST', { message: 'Your settings allow 2 at once (batch_concurrency).' })
  }, [{ concurrency: 4, cost: 1.5 }, { add: [{ description: 'f' }], drop: [4] }, { cost: null }, { cost: 1 }])
  const history = page.getByRole('list', { name: 'Changes of this batch' })
  await expect.element(history).toHaveTextContent(/4 at once, may cost \$1\.50.*1 task added, 1 task dropped.*may cost/)
  await expect.element(page.getByText('so no more tasks start.')).toHaveTextContent('It has cost $2.00 of $1.00')
  await userEvent.click(page.getByRole('button', { name: 'Change this batch' }))
  await userEvent.click(page.getByRole('button', { name: 'Set' }).first())
  await expect.element(page.getByText('Your settings allow 2 at once (batch_concurrency).')).toBeVisible()
})

it('has nothing to change once it has ended', async () => {
  await openBatch()
  await expect.poll(rowsDrawn).toBeGreaterThan(5)
  expect(page.getByRole('button', { name: /^Drop/ }).elements()).toEqual([])
})
