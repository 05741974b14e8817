import { type ReactNode, useRef } from 'react'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { CodeText } from './code-text.tsx'
import { useHighlighter } from './use-highlighter.ts'

/** Says in its label how often it was drawn without colours. */
function Code({ path }: { readonly path: string }): ReactNode {
  const highlighter = useHighlighter({ path })
  const plain = useRef(0)
  if (!highlighter) plain.current += 1
  return (
    <figure aria-label={`plain ${plain.current}`}>
      <CodeText text="const a = 1" highlighter={highlighter} />
    </figure>
  )
}

const keyword = page.getByText('const', { exact: true })

it('colours code of a known language the first time it draws it', async () => {
  const first = await render(<Code path="/a.ts" />)
  await expect.element(keyword).toHaveClass('text-code-keyword')
  await expect.element(page.getByRole('figure')).toHaveAccessibleName(/plain [1-9]/)
  await first.unmount()
  await render(<Code path="/b.ts" />)
  expect(keyword.element().className).toBe('text-code-keyword')
  await expect.element(page.getByRole('figure')).toHaveAccessibleName('plain 0')
})
