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
