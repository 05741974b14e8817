import { useState } from 'react'
import { expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { UserMessage } from '#shared/model/message.ts'
import { useApp } from '../state/hooks/hooks.tsx'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { created, event, messageId, userMessage } from '../state/store/entries.testkit.ts'
import { activeThread } from '../state/store/selectors.ts'
import { UserArticle } from './articles/articles.tsx'

const message: UserMessage = {
  role: 'user',
  messageId: messageId('a'),
  origin: 'person',
  content: [{ type: 'text', text: 'first' }],
}

/** A message that goes out of the page, as it does when it is scrolled away. */
function LeavingMessage() {
  const thread = useApp(activeThread)
  const [shown, setShown] = useState(true)
  return (
    <>
      <button type="button" onClick={() => setShown(!shown)}>
        Scroll
      </button>
      {thread && shown && <UserArticle thread={thread} message={message} at={0} />}
    </>
  )
}

it('keeps an edited message that leaves the page, and drops it with Escape', async () => {
  const field = page.getByRole('textbox')
  const scroll = page.getByRole('button', { name: 'Scroll' })
  await renderInWindow(<LeavingMessage />, {}, [event(1, created), event(2, userMessage('a', 'first'))])
  await userEvent.click(page.getByRole('article').getByRole('button').first())
  await userEvent.click(page.getByRole('menuitem', { name: 'Edit and send again' }))
  await expect.element(field).toHaveFocus()
  await userEvent.fill(field, 'first, but better')
  await userEvent.click(scroll)
  await expect.element(field).not.toBeInTheDocument()
  await userEvent.click(scroll)
  await expect.element(field).toHaveValue('first, but better')
  await expect.element(scroll).toHaveFocus()
  await userEvent.click(field)
  await userEvent.keyboard('{Escape}')
  await expect.element(field).not.toBeInTheDocument()
})
