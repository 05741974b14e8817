import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { LeftInGit as Left } from '#shared/contract/views/branches.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { branchId, created, event } from '../state/store/entries.testkit.ts'
import { LeftInGit } from './left-in-git.tsx'

const open = (left: Left) =>
  renderInWindow(<LeftInGit branchId={branchId} />, { 'changes.leftInGit': () => left }, [event(1, created)])

it('names commits and new repositories, one line for each repository', async () => {
  const commit = { kind: 'commit', repository: '/sub' as VirtualPath, branch: 'topic', subject: 'Fix it' } as const
  await open({ commits: [{ ...commit, id: '1a2b3c4d' }], repositories: ['/sub' as VirtualPath] })
  const list = page.getByRole('list', { name: 'Left in git alone' })
  await expect.element(list).toHaveTextContent('/sub is a new repository.')
  await expect.element(list).toHaveTextContent('1 commit in git alone: 1a2b3c4 “Fix it” on topic in /sub. No patch has')
})
