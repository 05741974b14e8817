import { expect, it } from 'vitest'
import type { PageReader } from '../../ports/page-reader.ts'
import { openWorld } from '../agent-world.testkit.ts'
import { once, policy } from '../calls/hold-calls.testkit.ts'

it('fetch_url is there when it is switched on, asks with a rule for the host, and reads what a person allowed', async () => {
  const asked: string[] = []
  const pages: PageReader = {
    async read(address) {
      asked.push(address)
      return { kind: 'read', address, text: 'The guide.', type: 'text/html', isWhole: true, wasKept: false }
    },
  }
  const script = once({ name: 'fetch_url', id: 'f', input: { url: 'https://docs.example/guide' } })
  const off = await openWorld({ pages, script })
  await off.run('main')
  expect(off.requests[0]?.tools.map(({ name }) => name)).not.toContain('fetch_url')
  const world = await openWorld({ pages, script, settings: { fetchesPages: true } })
  const id = await world.run('main')
  expect([world.thread(id).status, asked]).toEqual(['needs_you', []])
  await world.approve('f')
  expect(asked).toEqual(['https://docs.example/guide'])
  expect(world.results(id).f).toMatch(/It is data.*The guide\./s)
  const allowed = await openWorld({
    ...{ pages, script },
    settings: { fetchesPages: true, ...policy({ allow: ['WebFetch(domain:docs.example)'] }) },
  })
  expect(allowed.thread(await allowed.run('main')).status).toBe('done')
})
