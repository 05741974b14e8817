import { ORPCError } from '@orpc/client'
import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { CheckoutView } from '#shared/contract/views/checkouts.ts'
import type { TakenBack } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { branchId, created, event } from '../../state/store/entries.testkit.ts'
import { BranchFolder } from './branch-folder.tsx'
import { CheckoutList } from './checkout-list.tsx'

const path = (text: string) => text as VirtualPath
const view = (more: Partial<CheckoutView>): CheckoutView => ({
  ...{ id: 'one', branchId, kind: 'worktree', folder: '/work/look', tree: 't', commit: 'c', gitBranch: null, at: 1 },
  ...{ isThere: true, conflicts: [] },
  ...more,
})
const nothing: TakenBack = { changed: [], joined: [], conflicts: [], refused: [] }

async function show(views: readonly CheckoutView[], taken: readonly TakenBack[] = []) {
  const left = [...taken]
  const calls = {
    takeBack: vi.fn<(input: unknown) => TakenBack>(() => left.shift() ?? nothing),
    close: vi.fn<(input: { readonly loses: boolean }) => TakenBack>(({ loses }) => {
      if (!loses) throw new ORPCError('CONFLICT', { message: 'This would be lost: /a' })
      return nothing
    }),
    make: vi.fn<(input: { readonly folder: string }) => unknown>(({ folder }) => {
      if (folder === '/full') throw new ORPCError('REFUSED', { message: '/full is not empty.' })
      return { checkoutId: 'two', folder, kind: 'worktree', commit: 'c', gitBranch: null, leftOut: [] }
    }),
    open: vi.fn<() => unknown>(() => ({ checkoutId: 'three', folder: '/data/project' })),
    startEditor: vi.fn<(input: unknown) => void>(() => undefined),
  }
  const answers = Object.fromEntries(Object.entries(calls).map(([name, call]) => [`checkouts.${name}`, call]))
  await renderInWindow(
    <>
      <BranchFolder branchId={branchId} name="workspace" />
      <CheckoutList branchId={branchId} />
    </>,
    { ...answers, 'checkouts.list': () => views } as object,
    [event(1, created)],
  )
  return calls
}
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' })

it('opens a branch in the editor, and asks where a worktree goes', async () => {
  const { open, startEditor, make } = await show([])
  await userEvent.click(button('Open branch in editor'))
  await expect.poll(() => startEditor.mock.calls[0]?.[0]).toMatchObject({ checkoutId: 'three', editor: null })
  expect(open).toHaveBeenCalledOnce()
  await userEvent.click(button('More for workspace'))
  await userEvent.click(page.getByRole('menuitem', { name: 'Check out as worktree…' }))
  const folder = page.getByRole('textbox', { name: 'Folder' })
  await expect.element(folder).toHaveValue('/project-workspace')
  await userEvent.fill(folder, '/full')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('alert')).toHaveTextContent('/full is not empty.')
  await userEvent.fill(folder, '/look ')
  await userEvent.fill(page.getByRole('textbox', { name: 'Branch of git' }), 'mine')
  await userEvent.click(button('Check out'))
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  expect(make.mock.calls.at(-1)?.[0]).toMatchObject({ folder: '/look', gitBranch: 'mine' })
})

it('takes back after a person chose a version of each file in conflict', async () => {
  const { takeBack } = await show(
    [view({})],
    [
      { ...nothing, conflicts: [path('/a'), path('/b\u202e')] },
      { ...nothing, changed: [path('/a')] },
    ],
  )
  await userEvent.click(button('Take it back'))
  await expect.element(page.getByText('Both sides changed these files')).toBeVisible()
  await userEvent.click(button('Take the folder’s version of /a'))
  await expect.element(button('Take the folder’s version of /a')).toHaveAttribute('aria-pressed', 'true')
  await userEvent.click(button(/^Take the branch’s version of \/b/))
  await userEvent.click(button('Take it back'))
  await expect
    .poll(() => takeBack.mock.calls.at(-1)?.[0])
    .toMatchObject({
      choices: [
        { path: '/a', side: 'folder' },
        { path: '/b\u202e', side: 'branch' },
      ],
    })
  await expect.element(page.getByText('Both sides changed these files')).not.toBeInTheDocument()
})

it('removes a folder with what would be lost only when a person says so', async () => {
  const { close } = await show([view({ kind: 'editor', folder: '/data/x', conflicts: [path('/c')] })])
  await expect.element(page.getByText('Open in your editor: /data/x')).toBeVisible()
  await expect.element(button('Take the folder’s version of /c')).toBeVisible()
  await userEvent.click(button('Close'))
  await expect.element(page.getByRole('alert')).toHaveTextContent('This would be lost: /a')
  await userEvent.click(button('Remove anyway'))
  await expect.poll(() => close.mock.calls.map(([{ loses }]) => loses)).toEqual([false, true])
})
