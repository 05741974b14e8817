import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { LeftInGit } from '#shared/contract/views/branches.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { created, event } from '../state/store/entries.testkit.ts'
import { ChangesScreen } from './changes-screen.tsx'

const at = (path: string) => path as VirtualPath
const added = (path: string): FileChange => ({
  path: at(path),
  kind: 'create',
  size: 1,
  added: 1,
  removed: 0,
  binary: false,
})

function open(left: LeftInGit, changes: readonly FileChange[]) {
  return renderInWindow(
    <div style={{ width: 900, height: 500, display: 'flex', flexDirection: 'column' }}>
      <ChangesScreen renderConflict={() => null} />
    </div>,
    { 'changes.leftInGit': () => left, 'changes.list': () => changes },
    [event(1, created)],
  )
}

it('names commits, and new repositories without a changed file, each on a line', async () => {
  const commit = { kind: 'commit', repository: at('/sub'), branch: 'topic', subject: 'Fix it' } as const
  await open({ commits: [{ ...commit, id: '1a2b3c4d' }], repositories: [at('/sub')] }, [])
  const list = page.getByRole('list', { name: 'Left in git alone' })
  await expect.element(list).toHaveTextContent('/sub is a new repository.')
  await expect.element(list).toHaveTextContent('1 commit in git alone: 1a2b3c4 “Fix it” on topic in /sub. No patch has')
})

// Mutation: name every repository above the tree, or show the one with changes as a folder.
it('shows a new repository with changes as one row of their tree, which opens', async () => {
  const changes = ['/lib/src/one.c', '/lib/src/two.c', '/readme.md'].map(added)
  await open({ commits: [], repositories: [at('/lib')] }, changes)
  const row = page.getByRole('row', { name: '/lib', exact: true })
  await expect.element(row).toHaveTextContent('libnew repository2')
  await expect.element(row).toHaveAttribute('aria-expanded', 'false')
  await expect
    .element(page.getByTitle('/lib is a new repository. Apply to disk writes it with its commits'))
    .toBeVisible()
  expect(page.getByRole('list', { name: 'Left in git alone' }).elements()).toEqual([])
  expect(page.getByRole('row', { name: '/lib/src' }).elements()).toEqual([])
  await row.click()
  await expect.element(page.getByRole('row', { name: '/lib/src/two.c' })).toBeVisible()
})
