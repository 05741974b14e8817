import { expect, it } from 'vitest'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { created, event, threadId } from '../state/store/entries.testkit.ts'
import { BranchesScreen } from './branches-screen.tsx'

/** Noticed: a batch of 10,000 tasks was said to have no branches for as long as it was read. */
it('says that a thread has no branches only when the thread was read', async () => {
  const { screen, session } = await renderInWindow(<BranchesScreen />, {}, [event(1, created)])
  await expect.element(screen.getByText('No branches yet')).toBeVisible()
  session.store.setState({ unread: new Set([threadId]) })
  await expect.element(screen.getByRole('status')).toHaveTextContent('Loading…')
  expect(screen.getByText('No branches yet').elements()).toEqual([])
})
