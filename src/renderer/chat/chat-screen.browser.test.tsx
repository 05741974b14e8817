import { type ReactNode, useEffect } from 'react'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { MessageId } from '#shared/model/ids.ts'
import { useUpdateUi } from '../state/hooks/hooks.tsx'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { agentReply, created, event, userMessage } from '../state/store/entries.testkit.ts'
import { ChatScreen } from './chat-screen.tsx'

const texts = Array.from({ length: 60 }, (_, number) => `number ${number} ${'and more '.repeat((number * 37) % 90)}`)
const messages = texts.map((text, number) =>
  event(number + 2, number % 2 === 0 ? userMessage(`m${number}`, text) : agentReply(`m${number}`, text)),
)

/** How far above its end the list of messages stands in each frame in which a message is in sight, in pixels. */
function watchPlaces(): readonly number[] {
  const places: number[] = []
  const look = (): void => {
    const item = document.querySelector('[role=listitem]')
    const scroller = item?.closest('[data-virtuoso-scroller]')
    const end = scroller?.firstElementChild?.lastElementChild
    // Tells where things are in the picture. What is read in between may not be laid out yet.
    const observer = new IntersectionObserver(
      ([entry]) => {
        observer.disconnect()
        const isShown = item?.checkVisibility({ visibilityProperty: true })
        if (isShown && entry?.rootBounds) places.push(entry.boundingClientRect.bottom - entry.rootBounds.bottom)
      },
      { root: scroller ?? null },
    )
    if (end) observer.observe(end)
    if (places.length < 30) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  return places
}

async function renderConversation(beside: ReactNode = null): Promise<void> {
  const chat = <ChatScreen approvals={() => null} keyForm={() => null} tryDemo={null} />
  await renderInWindow(
    <div style={{ height: 600 }} className="flex flex-col">
      {chat}
      {beside}
    </div>,
    {},
    [event(1, created), ...messages],
  )
}

it('shows a conversation at its end from the first frame on', async () => {
  const places = watchPlaces()
  await renderConversation()
  await expect.element(page.getByText('number 59')).toBeVisible()
  await expect.poll(() => places.length).toBeGreaterThanOrEqual(30)
  expect(places.filter((pixels) => pixels > 1)).toEqual([])
})

it('has the whole conversation above its last screen', async () => {
  await renderConversation()
  await expect.element(page.getByText('number 59')).toBeVisible()
  const scroller = document.querySelector('[data-virtuoso-scroller]')
  await expect.poll(() => scroller?.scrollHeight).toBeGreaterThan(texts.length * 80)
  await expect
    .poll(() => {
      scroller?.scrollTo({ top: 0 })
      return page.getByText('number 0 ').query()?.checkVisibility({ visibilityProperty: true })
    })
    .toBe(true)
})

/** Asks for a message right after the list was made, before its first frame. */
function AskForMessage({ messageId }: { messageId: string }): ReactNode {
  const updateUi = useUpdateUi()
  useEffect(() => updateUi((ui) => ({ ...ui, focusMessage: messageId as MessageId })), [updateUi, messageId])
  return null
}

it('shows and focuses a message that is asked for before the list is in place', async () => {
  await renderConversation(<AskForMessage messageId="m10" />)
  const asked = page.getByRole('group', { name: 'Found message' })
  await expect.element(asked).toHaveFocus()
  expect(asked.element().checkVisibility({ visibilityProperty: true })).toBe(true)
  asked.element().blur()
  await expect.element(page.getByText('number 10 ')).toBeVisible()
  const scroller = document.querySelector('[data-virtuoso-scroller]')
  await expect.poll(() => scroller?.scrollHeight).toBeGreaterThan(texts.length * 80)
})
