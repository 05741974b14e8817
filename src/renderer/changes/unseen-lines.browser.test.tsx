import { expect, it } from 'vitest'
import type { FileChange } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { branchId, created, event } from '../state/store/entries.testkit.ts'
import { UnseenLines } from './unseen-lines.tsx'

const path = (name: string) => name as VirtualPath
const change = (name: string, added: number): FileChange =>
  ({ path: path(name), kind: 'modify', added, removed: 1, identity: `${name} ${added}` }) as FileChange

const key = `coppice-viewed project ${branchId}`
const mark = (files: object) => localStorage.setItem(key, JSON.stringify({ version: 1, files }))

async function open(paths: readonly VirtualPath[] | null) {
  const { screen, session } = await renderInWindow(<UnseenLines branchId={branchId} paths={paths} />, {}, [
    event(1, created),
  ])
  session.store.setState({ changes: [change('/a', 9), change('/b', 3), change('/c', 0)] })
  return screen
}

it('counts the lines of files that are not marked as viewed, or changed since', async () => {
  mark({ '/a': '/a 9', '/b': '/b 2' })
  const screen = await open(null)
  const section = screen.getByRole('region', { name: 'What nobody has looked at' })
  await expect.element(section).toHaveTextContent('Nobody has looked at 5 of 15 changed lines, in 2 files')
  await screen.getByRole('button', { name: 'Show which' }).click()
  await expect.element(section).toHaveTextContent('/b')
  await expect.element(section).not.toHaveTextContent('/a')
})

it('is about the files that leave alone, and says nothing when all were viewed', async () => {
  mark({ '/a': '/a 9' })
  const screen = await open([path('/a')])
  await expect.poll(() => screen.container.querySelector('section')).toBeNull()
})
