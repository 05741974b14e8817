import { useState } from 'react'
import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { CodeEditor } from './code-editor.tsx'

function Typing() {
  const [text, setText] = useState('first\nsecond\n')
  return (
    <>
      <CodeEditor label="Result" path="a.txt" value={text} onChange={setText} />
      <output>{text}</output>
    </>
  )
}

it('selects all by its key, and takes back what was typed', async () => {
  await render(<Typing />)
  const shown = page.getByRole('status')
  await userEvent.click(page.getByRole('textbox', { name: 'Result' }))
  await userEvent.keyboard('{ControlOrMeta>}a{/ControlOrMeta}')
  await userEvent.keyboard('x')
  await expect.element(shown).toHaveTextContent(/^x$/)
  await userEvent.keyboard('{ControlOrMeta>}z{/ControlOrMeta}')
  await expect.element(shown).toHaveTextContent('first second')
})
