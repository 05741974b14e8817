import { expect, it, vi } from 'vitest'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId, ProjectId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Client } from '../state/connection/connection.ts'
import { createQueryCache } from '../state/connection/query-cache.ts'
import { prepareReview } from './prepare-review.ts'
import { diffQuery } from './review/use-file-diff.ts'

const projectId = 'project' as ProjectId
const branchId = 'branch' as BranchId
const change = (path: string, lines: number | null = 1): FileChange => ({
  path: path as VirtualPath,
  kind: 'modify',
  size: 1,
  added: lines,
  removed: lines,
  binary: false,
})

/** A cache whose host answers each comparison with its path, and the paths that it was asked for. */
function answering() {
  const asked: string[] = []
  const diff = async ({ path }: { path: string }) => {
    asked.push(path)
    return { path }
  }
  return { asked, queries: createQueryCache({ changes: { diff } } as unknown as Client) }
}

it('has the font of its code before a review opens', async () => {
  const hasFont = () => document.fonts.check('12px "JetBrains Mono Variable"')
  // Another test of this page may have loaded it. Styles that come anew bring fonts that are not loaded.
  for (const style of document.querySelectorAll('style')) style.replaceWith(style.cloneNode(true))
  expect(hasFont()).toBe(false)
  prepareReview({ ...answering(), projectId, branchId, changes: [change('/deep/first.py'), change('/readme')] })
  await vi.waitFor(() => expect(hasFont()).toBe(true), 15_000)
})

it('has the comparisons of its first files, except of long ones, until they are let go of', async () => {
  const { asked, queries } = answering()
  const short = Array.from({ length: 20 }, (_, place) => change(`/file-${String(place).padStart(2, '0')}`))
  const changes = [change('/a-long', 501), change('/a-unknown', null), ...short]
  const release = prepareReview({ queries, projectId, branchId, changes })
  const known = ({ path }: FileChange) => queries.read(diffQuery(projectId, branchId, change(path)))?.state ?? null
  await expect.poll(() => short.map(known).slice(0, 6)).toEqual(Array(6).fill('ready'))
  expect(asked).toEqual(short.slice(0, 6).map(({ path }) => path))
  const changed = { ...change('/file-00'), added: 2 }
  expect(queries.read(diffQuery(projectId, branchId, changed)), 'another version').toBeNull()
  release()
  expect(short.map(known)).toEqual(Array(20).fill(null))
})
