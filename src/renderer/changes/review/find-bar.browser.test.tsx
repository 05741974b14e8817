import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { FileChange } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { branchId, created, event } from '../../state/store/entries.testkit.ts'
import { FindBar } from './find-bar.tsx'

const change = (name: string): FileChange => ({
  path: `/${name}` as VirtualPath,
  kind: 'create',
  size: 1,
  added: 600,
  removed: 0,
  binary: false,
})

it('says in how many files it looked when it stops at 5,000 lines', async () => {
  const files = Array.from({ length: 12 }, (_, index) => change(`${index}`))
  const lines = Array.from({ length: 600 }, (_, index) => `+word ${index}`)
  const hunks = [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, lines }]
  const diff = ({ path }: { path: VirtualPath }) => ({ path, change: change('0'), hunks, truncated: false })
  const ignore = (): void => undefined
  await renderInWindow(
    <FindBar branchId={branchId} files={files} query="word" onQuery={ignore} onMatch={ignore} onClose={ignore} />,
    { 'changes.diff': diff } as object,
    [event(1, created)],
  )
  await expect.element(page.getByText('5,000 lines in the first 9 of 12 files')).toBeVisible()
})
