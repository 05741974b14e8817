import { expect, it, vi } from 'vitest'
import type { FileChange } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { prepareReview } from './prepare-review.ts'

const change = (path: string): FileChange => ({
  path: path as VirtualPath,
  kind: 'modify',
  size: 1,
  added: 1,
  removed: 1,
  binary: false,
})

it('has the font of its code before a review opens', async () => {
  const hasFont = () => document.fonts.check('12px "JetBrains Mono Variable"')
  expect(hasFont()).toBe(false)
  prepareReview([change('/deep/first.py'), change('/readme')])
  await vi.waitFor(() => expect(hasFont()).toBe(true), 15_000)
})
