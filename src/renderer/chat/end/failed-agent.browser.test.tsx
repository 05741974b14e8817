import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ThreadState } from '#shared/model/thread.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { FailedAgents } from './failed-agent.tsx'

it('folds many failures of the same cause', async () => {
  const failed = (name: string): ThreadState => ({ id: name, agent: name, end: undefined }) as unknown as ThreadState
  await renderInWindow(<FailedAgents threads={Array.from({ length: 100 }, (_, at) => failed(`page-${at}`))} />)
  await expect.element(page.getByText('100 agents failed.')).toBeVisible()
  expect(page.getByRole('button').elements()).toHaveLength(1)
  await userEvent.click(page.getByRole('button', { name: 'Show all 100' }))
  await expect.element(page.getByRole('button', { name: 'Retry page-99' })).toBeInTheDocument()
})
