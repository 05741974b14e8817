import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import { useAppList } from '../state/hooks/hooks.tsx'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { branchId, callId, created, event, threadId } from '../state/store/entries.testkit.ts'
import { SideBySide } from './side-by-side.tsx'

function All() {
  return (
    <SideBySide
      branches={useAppList((state) => [...state.project.branches.values()].filter(({ parentId }) => parentId !== null))}
    />
  )
}

it('shows each file of three branches in three columns, and says who left it alone', async () => {
  const three = [0, 1, 2].flatMap((index) => {
    const id = `agent-${index}` as ThreadId
    const own = `branch-${index}` as BranchId
    const handle = `subagent_${index}` as Handle
    const name = `attempt ${index + 1}`
    const parent = { threadId, callId: callId('c'), handle, index, task: 'x', todoIndex: null }
    return [
      event(3 + index * 2, threadCreated(own, { agent: name, parent, depth: 1 }), id),
      event(4 + index * 2, {
        ...{ type: 'branch.forked', branchId: own, parentId: branchId, ownerThreadId: id },
        ...{ handle, name },
      }),
    ]
  })
  const begun = event(2, {
    ...{ type: 'branch.forked', branchId, parentId: null, ownerThreadId: threadId },
    ...{ handle: null, name: 'Workspace' },
  })
  const files = (branch: string) =>
    (branch === 'branch-2' ? ['/b.txt'] : ['/a.txt', '/b.txt']).map((path) => ({
      ...{ path, kind: 'modify', size: 3, added: 1, removed: 0, binary: false },
    }))
  await renderInWindow(
    <div style={{ height: 600, width: 1000, display: 'flex' }}>
      <All />
    </div>,
    {
      'branches.compare': async ({ to }) => files(to.branchId) as never,
      'branches.compareFile': async () => {
        throw new Error('No contents in this test.')
      },
    },
    [event(1, created), begun, ...three],
  )
  await expect.element(page.getByRole('button', { name: /a\.txt/ })).toHaveTextContent('2 / 3')
  await expect.element(page.getByRole('region', { name: 'attempt 3' })).toHaveTextContent('did not change the file')
  ;(page.getByRole('button', { name: /b\.txt/ }).element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('button', { name: /b\.txt/ })).toHaveAttribute('aria-pressed', 'true')
  expect(page.getByRole('region', { name: 'attempt 3' }).element().textContent).not.toContain('did not change')
})
