import { useState } from 'react'
import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { MemoryEditor } from './memory-editor.tsx'

function LeavingEditor() {
  const [shown, setShown] = useState(true)
  return (
    <>
      <button type="button" onClick={() => setShown(!shown)}>
        Back
      </button>
      {shown && <MemoryEditor memory={null} scope="project" />}
    </>
  )
}

it('keeps a note that is not saved when the person goes back, until it is discarded', async () => {
  await renderInWindow(<LeavingEditor />)
  const fields = page.getByRole('textbox')
  await userEvent.fill(fields.first(), 'notes.md')
  await userEvent.fill(fields.last(), 'Remember this')
  await userEvent.click(page.getByRole('button', { name: 'Back' }))
  await userEvent.click(page.getByRole('button', { name: 'Back' }))
  await expect.element(fields.first()).toHaveValue('notes.md')
  await expect.element(fields.last()).toHaveValue('Remember this')
  await expect.element(page.getByText('Not saved yet')).toBeVisible()
  await userEvent.click(page.getByRole('button', { name: 'Discard my changes' }))
  await expect.element(fields.last()).toHaveValue('')
})
