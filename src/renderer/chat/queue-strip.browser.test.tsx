import { useRef } from 'react'
import { Toaster } from 'sonner'
import { beforeEach, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { EntryBody } from '#shared/model/entry.ts'
import { useApp } from '../state/hooks/hooks.tsx'
import { draftKey, readDraft } from '../state/preferences/draft.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { created, event, messageId, threadId, userMessage } from '../state/store/entries.testkit.ts'
import { activeThread } from '../state/store/selectors.ts'
import { Composer } from './composer/composer.tsx'
import { QueueStrip } from './queue-strip.tsx'

const field = page.getByRole('textbox', { name: 'Waiting text' })
const message = page.getByRole('textbox', { name: 'Message' })
const key = draftKey('project', threadId)

beforeEach(() => localStorage.clear())

function StripOfOpenThread() {
  const thread = useApp(activeThread)
  const typing = useRef(false)
  return (
    <>
      {thread && <QueueStrip thread={thread} />}
      <Composer thread={thread} typing={typing} keyForm={() => null} tryDemo={null} />
      <input aria-label="Elsewhere" />
      <Toaster />
    </>
  )
}

function queued(name: string, text: string): EntryBody {
  const content = [{ type: 'text' as const, text }]
  return {
    type: 'message.queued',
    queued: { messageId: messageId(name), origin: 'person', content, delivery: 'queue' },
  }
}

async function openRewrite() {
  const shown = await renderInWindow(<StripOfOpenThread />, {}, [event(1, created), event(2, queued('a', 'first'))])
  await userEvent.click(page.getByRole('button', { name: 'Rewrite waiting text 1' }))
  await expect.element(field).toHaveFocus()
  return shown
}

it('takes the focus when the field of a waiting text opens, and not again', async () => {
  const { receive } = await openRewrite()
  await userEvent.click(page.getByRole('textbox', { name: 'Elsewhere' }))
  receive(event(3, queued('b', 'second')))
  await expect.element(page.getByRole('button', { name: 'Rewrite waiting text 2' })).toBeVisible()
  await expect.element(page.getByRole('textbox', { name: 'Elsewhere' })).toHaveFocus()
})

it('moves what was typed to the message box when the text is delivered before it is saved', async () => {
  const { receive } = await openRewrite()
  await userEvent.fill(message, 'my draft')
  await userEvent.fill(field, 'first, but better')
  receive(event(3, userMessage('a', 'first')))
  await expect.element(message).toHaveFocus()
  await userEvent.keyboard(' still')
  await expect.element(message).toHaveValue('my draft\n\nfirst, but better still')
  expect(readDraft(localStorage, key)).toBe('my draft\n\nfirst, but better still')
  await expect.element(field).not.toBeInTheDocument()
})

it('leaves the message box alone when the delivered text was not changed', async () => {
  const { receive } = await openRewrite()
  receive(event(3, userMessage('a', 'first')))
  await expect.element(field).not.toBeInTheDocument()
  expect(readDraft(localStorage, key)).toBe('')
})

it('keeps the field with what was typed when saving it was refused', async () => {
  await openRewrite()
  await userEvent.fill(field, 'first, but better')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('alert')).toBeVisible()
  await expect.element(field).toHaveValue('first, but better')
})

it('moves a late text once when another window on the thread moved it already', async () => {
  const { receive } = await openRewrite()
  await userEvent.fill(field, 'first, but better')
  await userEvent.fill(message, 'my draft\n\nfirst, but better')
  receive(event(3, userMessage('a', 'first')))
  await expect.element(field).not.toBeInTheDocument()
  await expect.element(message).toHaveValue('my draft\n\nfirst, but better')
})

it('offers to undo that a changed text was dropped', async () => {
  await openRewrite()
  await userEvent.fill(field, 'first, but better')
  await userEvent.keyboard('{Escape}')
  await expect.element(field).not.toBeInTheDocument()
  await userEvent.click(page.getByRole('button', { name: 'Undo' }))
  await expect.element(field).toHaveValue('first, but better')
})

it('says that the waiting text was rewritten elsewhere', async () => {
  const { receive } = await openRewrite()
  await userEvent.fill(field, 'first, but better')
  const content = [{ type: 'text' as const, text: 'theirs' }]
  const edited = { messageId: messageId('a'), origin: 'person' as const, content, delivery: 'queue' as const }
  receive(event(3, { type: 'queue.changed', order: [edited.messageId], edited }))
  await expect.element(page.getByText('rewritten elsewhere')).toBeVisible()
  await expect.element(field).toHaveValue('first, but better')
})

/** Mutation: say of an external agent's message what is said of others. */
it('says that an external agent reads a waiting message after its turn, and offers nothing sooner', async () => {
  const external = { ...created, model: 'agent/claude' } as EntryBody
  await renderInWindow(<StripOfOpenThread />, {}, [
    event(1, external),
    event(2, { type: 'run.started' }),
    event(3, queued('a', 'first')),
  ])
  await expect.element(page.getByText('Queued: this agent reads it after its turn')).toBeVisible()
  await expect.element(message).toHaveAttribute('placeholder', 'Enter queues it: this agent reads it after its turn')
  await expect.element(page.getByRole('button', { name: /Deliver now/ })).not.toBeInTheDocument()
})
