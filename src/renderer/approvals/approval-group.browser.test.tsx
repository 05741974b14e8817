import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Interrupt } from '#shared/model/calls/interrupt.ts'
import type { InterruptId } from '#shared/model/ids.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { answerKey, emptyAnswer } from '../state/store/answers.ts'
import { callId, created, event, messageId, threadId } from '../state/store/entries.testkit.ts'
import { ApprovalGroup } from './approval-group.tsx'

const names = ['one', 'two', 'three']
const interrupt: Interrupt = {
  id: 'i' as InterruptId,
  threadId,
  agent: 'main',
  action_requests: names.map((name) => ({
    callId: callId(name),
    name: 'execute',
    args: { command: `echo ${name}` },
    description: '',
    rule: '',
    risk: 'low',
  })),
  review_configs: names.map((name) => ({
    callId: callId(name),
    action_name: 'execute',
    allowed_decisions: ['approve', 'edit', 'reject'],
  })),
}
const content = names.map((name) => ({
  type: 'tool_call' as const,
  callId: callId(name),
  name: 'execute',
  input: { command: `echo ${name}` },
}))

async function renderGroup(decide = vi.fn()): ReturnType<typeof renderInWindow> {
  return renderInWindow(
    <ApprovalGroup interrupt={interrupt} />,
    { 'approvals.preview': () => ({ kind: 'arguments' }), 'approvals.decide': decide },
    [
      event(1, created),
      event(2, {
        type: 'message',
        message: { role: 'assistant', messageId: messageId('m'), content, stopReason: 'tool_use' },
      }),
      event(3, { type: 'interrupt.raised', interrupt }),
    ],
  )
}

it('fills one button alone: of the call that the person walked to, or of the first one', async () => {
  const { session } = await renderGroup()
  const buttons = page.getByRole('button', { name: 'Approve', exact: true })
  await expect.poll(() => buttons.elements().length).toBe(3)
  const colours = () => new Set(buttons.elements().map((button) => getComputedStyle(button).backgroundColor))
  const filled = () =>
    buttons
      .elements()
      .filter((button) => button.classList.contains('bg-accent-solid'))
      .map((button) => button.closest<HTMLElement>('[data-approval]')?.dataset.approval)
  expect(filled()).toEqual(['one'])
  expect(colours().size).toBe(2)
  session.updateUi((ui) => ({ ...ui, walkCall: callId('three') }))
  await expect.poll(filled).toEqual(['three'])
  session.updateUi((ui) => ({ ...ui, walkCall: callId('decided long ago') }))
  await expect.poll(filled).toEqual(['one'])
})

it('approves all calls as their cards show them, and leaves out what is not valid', async () => {
  const decide = vi.fn()
  const { session } = await renderGroup(decide)
  const keyOf = (name: string) => answerKey(interrupt, callId(name))
  session.store.setState({
    answers: {
      [keyOf('one')]: { ...emptyAnswer, edited: 'echo mine', editing: true, network: 'a.example' },
      [keyOf('three')]: { ...emptyAnswer, network: 'no host!' },
    },
  })
  await expect.element(page.getByText('1 call is left out')).toBeVisible()
  await userEvent.click(page.getByRole('button', { name: 'Approve all 2' }))
  await expect
    .poll(() => decide.mock.calls.flatMap(([{ decisions }]) => decisions))
    .toEqual([
      { type: 'edit', callId: 'one', args: { command: 'echo mine' }, hosts: ['a.example'] },
      { type: 'approve', callId: 'two' },
    ])
  await expect.poll(() => Object.keys(session.store.getState().answers)).toEqual([keyOf('three')])
})
