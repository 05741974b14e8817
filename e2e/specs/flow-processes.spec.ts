import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { type Scenario, taskOf, turnOf } from '../model-server/scenario.ts'
import { examine, seriousIn } from '../support/axe.ts'
import { expect, test } from '../support/window.ts'

const server = `require('http').createServer((q, a) => {
  a.setHeader('content-type', 'text/html')
  a.end('<title>page</title><h1>' + require('fs').readFileSync('page.txt') + '</h1>')
}).listen(3000, '127.0.0.1', () => console.log('listening on 3000'))`

/** Two subagents serve on the same port. They stay until the test lets them go on. */
function serving(port: () => string, end: Promise<void>, said: string[]): Scenario {
  return (request) => {
    const name = taskOf(request).match(/serve (one|two)/)?.[1]
    if (!name) {
      const tasks = ['serve one', 'serve two'].map((task) => ({ task, name: task }))
      return turnOf(request) === 0 ? { calls: [{ name: 'spawn_subagents', input: { tasks } }] } : { text: 'All done.' }
    }
    const reach = (to: string) => `if (: < /dev/tcp/127.0.0.1/${to}) 2>/dev/null; then echo reached ${to}; fi`
    const turns = [
      { name: 'write_file', input: { file_path: '/page.txt', content: `page of ${name}` } },
      { name: 'execute', input: { command: `node -e "${server}"`, background: true } },
      { name: 'execute', input: { command: `${reach('3000')}; ${reach(port())}; echo tried` } },
      { name: 'write_file', input: { file_path: '/page.txt', content: `new page of ${name}` } },
    ]
    said.push(JSON.stringify(request.messages.at(-1)))
    const call = turns[turnOf(request)]
    return call ? { calls: [call] } : { text: 'Served.', after: end }
  }
}

async function preview(page: Page, name: string): Promise<Page> {
  const opened = page.context().waitForEvent('page')
  await page.getByRole('button', { name: `Open preview of port 3000 of ${name}` }).click()
  return opened
}

/** Tries what no policy of content forbids: a page that is loaded ahead, and another page. */
async function expectNoWayOut(shown: Page): Promise<void> {
  const reached: string[] = []
  const elsewhere = createServer((from, to) => {
    reached.push(from.url ?? '')
    to.end('elsewhere')
  })
  await new Promise<void>((resolve) => void elsewhere.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
  await shown.evaluate((to) => {
    const rules = document.createElement('script')
    rules.type = 'speculationrules'
    rules.textContent = JSON.stringify({ prefetch: [{ urls: [`${to}/ahead`], eagerness: 'immediate' }] })
    document.head.append(rules)
  }, address)
  await shown.evaluate((to) => void setTimeout(() => location.assign(to)), `${address}/away`)
  await expect.poll(() => shown.url()).toContain('chrome-error:')
  expect(reached).toEqual([])
  elsewhere.close()
}

// Mutation: without `connection-allowlist`, a page of a preview leaves by both ways.
test('Two branches serve different pages on one port, and each preview shows its own until its process ends', async ({
  open,
  dataFolder,
}) => {
  writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify({ permissions: { allow: ['execute'] } }))
  let port = ''
  const said: string[] = []
  const ending = Promise.withResolvers<void>()
  const { page } = await open({ scenario: serving(() => port, ending.promise, said) })
  port = new URL(page.url()).port
  await page.getByRole('textbox', { name: 'Message' }).fill('Serve both')
  await page.keyboard.press('Enter')
  const processes = page.getByRole('region', { name: 'Processes', exact: true })
  await expect(processes.getByRole('listitem')).toHaveCount(2)
  await expect(page.getByRole('region', { name: 'Status' }).getByText('2 processes')).toBeVisible()
  const [one, two] = [await preview(page, 'serve one'), await preview(page, 'serve two')]
  // Each agent edits its page in its own time.
  for (const [shown, text] of [
    [one, 'new page of one'],
    [two, 'new page of two'],
  ] as const)
    await expect(async () => {
      await shown.reload()
      await expect(shown.getByRole('heading')).toHaveText(text, { timeout: 1_000 })
    }).toPass()
  expect(new Set([page, one, two].map((shown) => new URL(shown.url()).origin)).size).toBe(3)
  await expectNoWayOut(two)
  // A page that comes later asks for what the events before it said.
  await page.reload()
  await expect(processes.getByRole('button', { name: /^Open preview of / })).toHaveCount(2)
  const first = processes.getByRole('listitem').first()
  await first.getByRole('button', { name: /^Output of / }).click()
  await expect(first.getByRole('group')).toContainText('listening on 3000')
  expect(seriousIn(await examine(page))).toEqual([])
  await first.getByRole('button', { name: /^Stop process / }).click()
  await expect(first).toContainText('was stopped by the user')
  await expect(processes.getByRole('button', { name: /^Open preview of / })).toHaveCount(1)
  const tried = said.filter((text) => text.includes('reached') || text.includes('tried'))
  expect(tried.map((text) => text.match(/reached \d+/g))).toEqual([['reached 3000'], ['reached 3000']])
  ending.resolve()
  await expect(processes.getByText('was ended with the run')).toBeVisible()
  await expect(first.getByRole('group')).toContainText('listening on 3000')
})
