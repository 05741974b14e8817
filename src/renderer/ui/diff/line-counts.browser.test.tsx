import { expect, it } from 'vitest'
import { render } from 'vitest-browser-react'
import { LineCounts } from './diff-parts.tsx'

it.each([
  [3, 0, '+3'],
  [0, 1200, '−1,200'],
  [12, 3, '+12 −3'],
  [0, 0, ''],
  [null, null, ''],
])('shows %s added and %s removed lines as "%s"', async (added, removed, text) => {
  const { container } = await render(<LineCounts added={added} removed={removed} />)
  expect(container.textContent).toBe(text)
})
