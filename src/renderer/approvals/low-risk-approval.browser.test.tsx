import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { InterruptId } from '#shared/model/ids.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
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
