import type { ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import { page } from 'vitest/browser'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import { RegionBoundary } from '../region-boundary.tsx'
import { hostileMarkdown } from './hostile-markdown.testkit.ts'
import { Markdown } from './markdown.tsx'

// Without `exceedsBounds` the quotations and lists overflow the stack, and the images take many seconds.
it.each(Object.entries(hostileMarkdown))('shows %s by the thousand', async (_, make) => {
  const text = make(4_000)
  for (const writing of [false, true]) {
    const { screen } = await renderInWindow(
      <section aria-label="reply">
        <Markdown text={text} writing={writing} />
      </section>,
    )
    const reply = page.getByRole('region', { name: 'reply' })
    await expect.element(reply).toHaveTextContent(/[xab<]/)
    expect(depthOf(reply.element())).toBeLessThan(1_200)
    await screen.unmount()
  }
})

it('shows a message that cannot be drawn as text, and leaves its neighbours alone', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined)
  let broken = true
  const Message = (): ReactNode => {
    if (broken) throw new Error('It nests too deep.')
    return <p>drawn</p>
  }
  await renderInWindow(
    <>
      <p>before</p>
      <RegionBoundary text="**the words**">
        <Message />
      </RegionBoundary>
      <p>after</p>
    </>,
  )
  await expect.element(page.getByText('**the words**')).toBeVisible()
  await expect.element(page.getByRole('alert')).toHaveTextContent('It nests too deep.')
  for (const neighbour of ['before', 'after']) await expect.element(page.getByText(neighbour)).toBeVisible()
  broken = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.element(page.getByText('drawn')).toBeVisible()
})

function depthOf(element: Element): number {
  let deepest = 0
  const open: (readonly [Element, number])[] = [[element, 1]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [one, depth] = next
    deepest = Math.max(deepest, depth)
    for (const child of one.children) open.push([child, depth + 1])
  }
  return deepest
}
