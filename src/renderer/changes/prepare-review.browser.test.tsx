import { expect, it, vi } from 'vitest'
import type { FileChange } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { knownHighlighter } from '../ui/code/load-highlighter.ts'
import { prepareReview } from './prepare-review.ts'

const change = (path: string): FileChange => ({
  path: path as VirtualPath,
  kind: 'modify',
  size: 1,
  added: 1,
  removed: 1,
  binary: false,
})

it('has the font and the colours of the first files before a review opens', async () => {
  const hasFont = () => document.fonts.check('12px "JetBrains Mono Variable"')
  const isKnown = () => Boolean(knownHighlighter({ path: '/other.py' }))
  expect([hasFont(), isKnown()]).toEqual([false, false])
  prepareReview([change('/deep/first.py'), change('/readme')])
  await vi.waitFor(() => expect([hasFont(), isKnown()]).toEqual([true, true]), 15_000)
})
