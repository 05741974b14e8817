import type { Page } from '@playwright/test'
import { testSeed, testSize, timeLimit } from '../../src/main/core/ports/test-size.testkit.ts'
import { type Scenario, turnOf } from '../model-server/scenario.ts'
import { hostileReplies } from '../support/hostile-text.ts'
import { expectNothingActive, watchPage } from '../support/watch-page.ts'
import { expect, test } from '../support/window.ts'

const count = testSize(15, 10_000)
const seed = testSeed()
const repliesOfThread = 50

const markOf = (number: number) => `Reply ${number} begins here`

/** Waits until the page has drawn what it knows. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve))
  })
}

test(`${count} hostile replies are drawn one after the other, and none of them acts`, async ({ open, project }) => {
  test.setTimeout(timeLimit(120_000))
  project.mayChange()
  const replies = hostileReplies(count, seed)
  const may = replies.map(() => Promise.withResolvers<void>())
  const asked = replies.map(() => Promise.withResolvers<void>())
  let threads = 0
  const scenario: Scenario = (request) => {
    const turn = turnOf(request)
    const number = (threads - 1) * repliesOfThread + turn
    const reply = replies[number]
    asked[number]?.resolve()
    if (!reply || turn >= repliesOfThread) return { text: `The end of thread ${threads}.` }
    return { ...reply, text: `${markOf(number)}.\n\n${reply.text}`, after: may[number]?.promise ?? Promise.resolve() }
  }
  const { page } = await open({ scenario })
  const seen = watchPage(page)
  for (let first = 0; first < count; first += repliesOfThread) {
    if (threads > 0) await page.getByRole('button', { name: 'New thread' }).click()
    threads += 1
    await page.getByRole('textbox', { name: 'Message' }).fill(`Thread ${threads}`)
    await page.getByRole('button', { name: 'Send' }).click()
    const end = Math.min(first + repliesOfThread, count)
    for (let number = first; number < end; number += 1) {
      // The model is asked again when the reply before is stored and its calls are done.
      await asked[number]?.promise
      await drawn(page)
      may[number]?.resolve()
      await expect(page.getByText(markOf(number)).first(), `seed ${seed}, reply ${number}`).toBeAttached()
      await drawn(page)
      expect(seen, `seed ${seed}, reply ${number}: ${JSON.stringify(replies[number])}`).toEqual([])
    }
    await expect(page.getByText(`The end of thread ${threads}.`)).toBeVisible()
    await expectNothingActive(page)
  }
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeEditable()
  // Requests are sent in order, so any forbidden one was sent before this one.
  await page.evaluate(async () => (await fetch('/')).text())
  expect(seen).toEqual([])
})
