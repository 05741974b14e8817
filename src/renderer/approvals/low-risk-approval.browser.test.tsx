import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { InterruptId } from '#shared/model/ids.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { answerKey, emptyAnswer } from '../state/store/answers.ts'
import { callId, threadId } from '../state/store/entries.testkit.ts'
import type { WaitingCall } from '../state/store/selectors.ts'
import { LowRiskApproval } from './low-risk-approval.tsx'

function waitingCall(name: string): WaitingCall {
  const id = callId(name)
  const request = {
    callId: id,
    name: 'execute',
    args: { command: `echo ${name}` },
    description: '',
    rule: '',
    risk: 'low',
  } as const
  const review_configs = [{ callId: id, action_name: 'execute', allowed_decisions: ['approve', 'reject'] as const }]
  return {
    interrupt: { id: name as InterruptId, threadId, agent: name, action_requests: [request], review_configs },
    request,
  }
}

it('approves the calls that it opened with, and none that came later', async () => {
  const [one, two, three] = [waitingCall('one'), waitingCall('two'), waitingCall('three')]
  const { screen } = await renderInWindow(<LowRiskApproval waiting={[one, two]} />, {
    'approvals.preview': () => ({ kind: 'arguments' }),
  })
  await userEvent.click(page.getByRole('button', { name: 'Approve 2 low-risk' }))
  const confirm = page.getByRole('button', { name: /^Approve these/ })
  await screen.rerender(<LowRiskApproval waiting={[one, two, three]} />)
  await expect.element(confirm).toHaveTextContent('Approve these 2')
  await screen.rerender(<LowRiskApproval waiting={[two, three]} />)
  await expect.element(confirm).toHaveTextContent('Approve these 1')
})

it('lists and sends what a person typed on the cards, and leaves out what is not valid', async () => {
  const [one, two, three] = [waitingCall('one'), waitingCall('two'), waitingCall('three')]
  const decide = vi.fn()
  const { session } = await renderInWindow(<LowRiskApproval waiting={[one, two, three]} />, {
    'approvals.preview': () => ({ kind: 'arguments' }),
    'approvals.decide': decide,
  })
  const keyOf = ({ interrupt, request }: WaitingCall) => answerKey(interrupt, request.callId)
  session.store.setState({
    answers: {
      [keyOf(one)]: { ...emptyAnswer, edited: 'echo mine', editing: true },
      [keyOf(three)]: { ...emptyAnswer, network: 'no host!' },
    },
  })
  await userEvent.click(page.getByRole('button', { name: 'Approve 2 low-risk' }))
  const dialog = page.getByRole('dialog')
  await expect.element(dialog).toHaveTextContent('echo mine')
  await expect.element(dialog).not.toHaveTextContent('echo one')
  await expect.element(dialog).toHaveTextContent('1 call is left out')
  await userEvent.click(page.getByRole('button', { name: /^Approve these 2/ }))
  await expect.element(dialog).not.toBeInTheDocument()
  expect(decide.mock.calls.flatMap(([{ decisions }]) => decisions)).toEqual([
    { type: 'edit', callId: 'one', args: { command: 'echo mine' } },
    { type: 'approve', callId: 'two' },
  ])
  expect(Object.keys(session.store.getState().answers)).toEqual([keyOf(three)])
})
