import { Suspense } from 'react'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { fetchable } from './fetchable.tsx'

function Screen({ name }: { name: string }) {
  return <p>This is {name}</p>
}

it('shows code that was fetched before at once, without the fallback', async () => {
  const loading = Promise.withResolvers<typeof Screen>()
  const { Component, fetch } = fetchable(() => loading.promise)
  const fallbacks: string[] = []
  const Fallback = (): null => {
    fallbacks.push('shown')
    return null
  }
  fetch()
  loading.resolve(Screen)
  await loading.promise
  await render(
    <Suspense fallback={<Fallback />}>
      <Component name="it" />
    </Suspense>,
  )
  expect(page.getByText('This is it').elements()).toHaveLength(1)
  expect(fallbacks).toEqual([])
})

it('fetches code that is shown first, and again when fetching it before failed', async () => {
  let attempts = 0
  const { Component, fetch } = fetchable(async () => {
    attempts += 1
    if (attempts === 1) throw new Error('no network')
    return Screen
  })
  fetch()
  await render(
    <Suspense fallback={<p>Loading…</p>}>
      <Component name="late" />
    </Suspense>,
  )
  await expect.element(page.getByText('This is late')).toBeVisible()
  expect(attempts).toBe(2)
})
