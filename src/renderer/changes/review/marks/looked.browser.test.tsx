import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import type { FileChange } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { changedSince, useLastLook } from './looked.ts'

const change = (name: string, identity: string): FileChange => ({
  ...{ path: `/${name}` as VirtualPath, kind: 'modify', size: 1, added: 1, removed: 1, binary: false, identity },
})

function Review({ changes }: { readonly changes: readonly FileChange[] }): ReactNode {
  const looks = useLastLook('looked p b', changes)
  return <p>{`${looks === null ? 'never' : 'before'}: ${changedSince(changes, looks).map(({ path }) => path)}`}</p>
}

const shown = () => page.getByRole('paragraph').element().textContent

/** Mutation: save what the files were like when the review opened. */
it('shows what changed after the review was left, and not what changed while it was open', async () => {
  localStorage.clear()
  const first = await render(<Review changes={[change('a', '1'), change('b', '1')]} />)
  expect(shown()).toBe('never: /a,/b')
  await first.rerender(<Review changes={[change('a', '2'), change('b', '1')]} />)
  await first.unmount()
  const again = await render(<Review changes={[change('a', '2'), change('b', '1')]} />)
  expect(shown()).toBe('before: ')
  await again.rerender(<Review changes={[change('a', '2'), change('b', '3'), change('c', '1')]} />)
  expect(shown()).toBe('before: /b,/c')
  dispatchEvent(new PageTransitionEvent('pagehide'))
  await again.unmount()
  await render(<Review changes={[change('a', '2'), change('b', '3'), change('c', '1')]} />)
  expect(shown()).toBe('before: ')
})
