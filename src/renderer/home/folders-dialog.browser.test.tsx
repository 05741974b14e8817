import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { ProjectFolders } from '#shared/contract/views/projects.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { FoldersDialog } from './folders-dialog.tsx'

const at = (root: string) => root as VirtualPath
const own = { root: at('/'), path: '/home/me/app', access: 'write', isGone: false, isRemovable: false } as const
const library = {
  root: at('/refs/lib'),
  path: '/home/me/lib',
  access: 'read',
  isGone: false,
  isRemovable: true,
} as const
const proposed = { name: 'other', path: '/home/me/other', access: 'read' } as const

it('lists the folders of a project, adds what the project asks for as a person chose, and takes one away', async () => {
  let shown: ProjectFolders = { folders: [own, { ...library, isGone: true }], proposed: [proposed] }
  const asked: unknown[] = []
  await renderInWindow(<FoldersDialog onClose={() => undefined} />, {
    'projects.folders': () => shown,
    'projects.addFolder': (input) => {
      asked.push(input)
      shown = { folders: [own, library, { ...own, root: at('/other'), path: proposed.path }], proposed: [] }
    },
    'projects.removeFolder': (input) => {
      asked.push(input)
      shown = { folders: [own], proposed: [] }
    },
  })
  const rows = page.getByRole('list', { name: 'Folders of this project' }).getByRole('listitem')
  await expect.element(rows.nth(1)).toHaveTextContent('not on disk')
  await page.getByRole('combobox', { name: 'Access to other' }).selectOptions('write')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect.element(rows.nth(2)).toHaveTextContent('changed on branches')
  await page.getByRole('button', { name: 'Remove' }).click()
  await expect.element(rows.nth(1)).not.toBeInTheDocument()
  expect(asked).toMatchObject([{ path: '/home/me/other', name: 'other', access: 'write' }, { path: '/home/me/lib' }])
})
