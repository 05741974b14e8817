import { ORPCError } from '@orpc/client'
import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { ApplyTarget } from '#shared/contract/views/branches.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { checksViewOf, standingOf, viewOf } from '../parts/checks/checks.testkit.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { branchId, created, event } from '../state/store/entries.testkit.ts'
import { ApplyDialog } from './apply-dialog.tsx'

const target = (path: string, identity: string, state: ApplyTarget['state'] = 'ready'): ApplyTarget => ({
  path: path as VirtualPath,
  kind: 'create',
  state,
  why: state === 'ready' ? null : 'It changed on disk.',
  identity,
})

/** The list that the host has now. */
const shown = { at: 0 }

/** Opens the dialog over these lists. A join moves on to the second one. */
function open(...lists: readonly (readonly ApplyTarget[])[]) {
  return openWith({ 'checks.list': () => checksViewOf([]) }, ...lists)
}

async function openWith(more: object, ...lists: readonly (readonly ApplyTarget[])[]) {
  shown.at = 0
  const apply = vi.fn<(input: unknown) => unknown>(() => ({ sequence: 9, written: ['/a', '/c'], deleted: [] }))
  const answers = {
    ...more,
    'changes.planApply': () => ({ files: lists[shown.at] }),
    'changes.settleDrift': () => {
      shown.at = 1
      return { sequence: 5 }
    },
    'changes.apply': apply,
  }
  await renderInWindow(
    <ApplyDialog branchId={branchId} initial={null} renderConflict={() => null} onClose={() => undefined} />,
    answers as object,
    [event(1, created)],
  )
  return apply
}

it('keeps a file unchecked when another is joined, and sends exactly the files it lists as they were listed', async () => {
  const apply = await open(
    [target('/a', '1'), target('/b', '2'), target('/c', '3', 'changed')],
    [target('/a', '1'), target('/b', '2'), target('/c', '4')],
  )
  const b = page.getByRole('checkbox', { name: '/b' })
  await userEvent.click(b)
  await userEvent.click(page.getByRole('button', { name: /Join.*\/c/ }))
  await expect.element(page.getByRole('checkbox', { name: '/c' })).toBeChecked()
  await expect.element(b).not.toBeChecked()
  await userEvent.click(b)
  await userEvent.click(page.getByRole('button', { name: 'Apply 3 files' }))
  const expected = ['1', '2', '4'].map((identity, index) => ({ path: ['/a', '/b', '/c'][index], identity }))
  const paths = ['/a', '/b', '/c']
  await expect.poll(() => apply.mock.calls[0]?.[0]).toEqual(expect.objectContaining({ paths, expected }))
})

it('shows that a file has changed since, and lists the files again', async () => {
  const apply = await open([target('/a', '1')], [target('/a', '2'), target('/late', '3')])
  const message = '/a changed since you looked. Look again, then apply.'
  apply.mockImplementationOnce(() => {
    shown.at = 1
    throw new ORPCError('CONFLICT', { message })
  })
  await userEvent.click(page.getByRole('button', { name: 'Apply 1 file' }))
  await expect.element(page.getByText(message)).toBeVisible()
  await userEvent.click(page.getByRole('checkbox', { name: '/late' }))
  await userEvent.click(page.getByRole('button', { name: 'Apply 1 file' }))
  const expected = [{ path: '/a', identity: '2' }]
  await expect.poll(() => apply.mock.calls[1]?.[0]).toEqual(expect.objectContaining({ expected }))
})

it('says what is written along with a file, and sends what was listed of it', async () => {
  const companions = [{ path: '/old' as VirtualPath, identity: '7', deleted: true }]
  const apply = await open([{ ...target('/new', '1'), kind: 'rename', companions }])
  await expect.element(page.getByText('Together with it: deletes /old')).toBeVisible()
  await userEvent.click(page.getByRole('button', { name: 'Apply 1 file' }))
  const along = [{ path: '/old', identity: '7' }]
  await expect.poll(() => apply.mock.calls[0]?.[0]).toEqual(expect.objectContaining({ along }))
})

it('counts what is written along on its button, and lists all of it', async () => {
  const companions = ['/1', '/2', '/3', '/4'].map((path) => ({
    path: path as VirtualPath,
    identity: '7',
    deleted: true,
  }))
  await open([{ ...target('/new', '1'), companions }, target('/other', '2')])
  await userEvent.click(page.getByRole('checkbox', { name: '/other' }))
  await expect.element(page.getByRole('button', { name: 'Apply 1 file and 4 with it', exact: true })).toBeVisible()
  await userEvent.click(page.getByRole('button', { name: 'All 4 files with it' }))
  await expect.element(page.getByRole('listitem').last()).toHaveTextContent('deletes /4')
})

it('names the state of each check, and asks once more before it writes files with a red required one', async () => {
  const checks = [viewOf('lint', 'green'), viewOf('test', 'red')]
  const apply = await openWith(
    {
      'checks.list': () => checksViewOf(['lint', 'test']),
      'checks.ofBranches': () => [standingOf(branchId, 'red', checks)],
      'checks.ofTree': () => standingOf(branchId, 'red', [viewOf('release', 'none')]),
    },
    [target('/a', '1')],
  )
  const region = page.getByRole('region', { name: 'Checks on these files' })
  await expect.element(region).toHaveTextContent('releaseNot runlintGreentestRed')
  await userEvent.click(page.getByRole('button', { name: 'Apply 1 file' }))
  await expect.element(page.getByRole('alert')).toHaveTextContent('test is required, and not green on these files')
  expect(apply).not.toHaveBeenCalled()
  await userEvent.click(page.getByRole('button', { name: 'Apply all the same' }))
  await expect.poll(() => apply.mock.calls.length).toBe(1)
})
