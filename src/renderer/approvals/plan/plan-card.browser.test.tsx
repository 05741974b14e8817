import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ActionRequest, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { InterruptId } from '#shared/model/ids.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { callId, threadId } from '../../state/store/entries.testkit.ts'
import { ApprovalCard } from '../card/approval-card.tsx'

const plan = [
  ...['# Round half up', '', 'Money is rounded *half even* in `money.ts`, and taxes want half up.', ''],
  ...['1. Read `money.ts` and its tests', '2. Round half up', '3. Say so in the guide', '', '```ts'],
  ...['const round = Math.round', '```', '', '| file | change |', '|---|---|', '| money.ts | 3 lines |'],
].join('\n')
const request: ActionRequest = {
  ...{ callId: callId('c1'), name: 'present_plan', args: { plan }, allowable: false as const },
  ...{ description: 'Carry out the plan “Round half up”.', rule: 'the agent hands in a plan', risk: 'low' },
}
const interrupt: Interrupt = {
  ...{ id: 'i' as InterruptId, threadId, agent: 'main', action_requests: [request] },
  review_configs: [
    { callId: request.callId, action_name: request.name, allowed_decisions: ['approve', 'edit', 'reject'] },
  ],
}
const onDecide = vi.fn()

beforeEach(() => {
  onDecide.mockReset()
  localStorage.clear()
})
afterEach(() => void delete document.documentElement.dataset.theme)

async function show(asked = request): Promise<void> {
  const { args } = asked
  await renderInWindow(
    <div className="bg-canvas p-4 text-sm text-text">
      <ApprovalCard
        interrupt={{ ...interrupt, action_requests: [{ ...asked, args }] }}
        request={asked}
        position="1 of 1"
        busy={false}
        onDecide={onDecide}
      />
    </div>,
  )
  await expect.element(page.getByRole('button', { name: 'Edit', exact: true })).toBeEnabled()
}

const notes = page.getByRole('textbox', { name: 'Notes to the agent (optional)' })

it.each(['light', 'dark'])('shows a plan as a document, %s', async (theme) => {
  document.documentElement.dataset.theme = theme
  await show()
  const document_ = page.getByRole('region', { name: 'Plan' })
  await expect.element(document_.getByRole('heading', { name: 'Round half up' })).toBeVisible()
  await expect.element(document_.getByRole('table')).toBeVisible()
  await page.getByRole('button', { name: 'Comment on line 6' }).click()
  await userEvent.keyboard('Half up is wrong for negative sums.')
  await expect.element(page.getByRole('group', { name: 'Comment on /plan.md, line 6' })).toBeVisible()
})

it('says that a hook changed the plan, and what the agent had written', async () => {
  await show({ ...request, changed: { by: 'the hook plan.sh', given: { plan: 'Nothing of it' } } })
  await expect.element(page.getByText('Changed by the hook plan.sh. The agent had sent:')).toBeVisible()
  await expect.element(page.getByText('Nothing of it')).toBeVisible()
})

it('approves in the mode that was chosen on the button, with notes', async () => {
  await show()
  await page.getByRole('button', { name: 'Mode after approval: Auto-edit' }).click()
  await page.getByRole('menuitem', { name: /^Ask/ }).click()
  await userEvent.fill(notes, 'Mind the tests.')
  await page.getByRole('button', { name: 'Approve with notes · Ask' }).click()
  expect(onDecide.mock.calls).toEqual([[{ type: 'approve', callId: 'c1', mode: 'ask', message: 'Mind the tests.' }]])
})

it('asks for changes with comments on lines, by keyboard alone', async () => {
  await show()
  const line = page.getByRole('button', { name: 'Comment on line 6' })
  ;(line.element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}Which sums?{Control>}{Enter}{/Control}')
  await expect.element(page.getByText('with 1 comment')).toBeVisible()
  ;(page.getByRole('group', { name: /^Approval/ }).element() as HTMLElement).focus()
  await userEvent.keyboard('n')
  const message = '### Line 6\n> 2. Round half up\nWhich sums?'
  await expect.poll(() => onDecide.mock.calls).toEqual([[{ type: 'reject', callId: 'c1', message }]])
})

it('sends the comment that is still in its form', async () => {
  await show()
  await page.getByRole('button', { name: 'Comment on line 7' }).click()
  await userEvent.keyboard('In German too.')
  await page.getByRole('button', { name: 'Ask for changes' }).click()
  const message = '### Line 7\n> 3. Say so in the guide\nIn German too.'
  expect(onDecide.mock.calls).toEqual([[{ type: 'reject', callId: 'c1', message }]])
})

it('asks for a word before it asks for changes', async () => {
  await show()
  await page.getByRole('button', { name: 'Ask for changes' }).click()
  expect(onDecide).not.toHaveBeenCalled()
  await expect.element(notes).toHaveFocus()
})

it('approves an edited plan', async () => {
  await show()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await userEvent.fill(page.getByRole('textbox', { name: 'plan' }), '1. Mine')
  await page.getByRole('button', { name: 'Approve · Auto-edit' }).click()
  expect(onDecide.mock.calls).toEqual([[{ type: 'edit', callId: 'c1', args: { plan: '1. Mine' }, mode: 'auto-edit' }]])
})

it('draws a plan of thousands of lines in parts', async () => {
  await show({ ...request, args: { plan: 'A line.\n\n'.repeat(5_000) } })
  expect(page.getByRole('button', { name: /^Comment on/ }).elements()).toHaveLength(120)
  await expect.element(page.getByRole('button', { name: 'Show 9762 more lines' })).toBeVisible()
})
