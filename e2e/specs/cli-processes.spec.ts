import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startModelServer } from '../model-server/model-server.ts'
import { coppice, root } from '../support/coppice.ts'

const fixture = join(root, 'e2e/fixtures/ledger')

test('what a background process wrote is in its branch after a kill of the app, and its agent is told', async () => {
  const command = 'echo work > left.txt; echo written; sleep 1000'
  await using server = await startModelServer((_, { count }) =>
    count === 0
      ? { calls: [{ name: 'execute', id: 'c1', input: { command, background: true } }] }
      : count === 1
        ? { calls: [{ name: 'ask_user', id: 'c2', input: { question: 'Go on?' } }] }
        : { text: 'Finished.' },
  )
  const data = mkdtempSync(join(tmpdir(), 'coppice-cli-'))
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ permissions: { allow: ['execute'] } }))
  const key = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  const args = ['--json', '--data-dir', data]
  const first = await coppice(['run', fixture, '--task', 'x', ...args], key, {
    during(running, stdout) {
      if (stdout.includes('interrupt.raised')) running.kill('SIGKILL')
    },
  })
  const threadId = String(first.events[0]?.threadId)
  const decisions = join(data, 'decisions.json')
  writeFileSync(decisions, JSON.stringify([{ callId: 'c2', type: 'respond', message: 'Yes' }]))
  const again = await coppice(['resume', threadId, '--decisions', decisions, ...args], key)
  expect(again.events.at(-1)).toMatchObject({ status: 'done', changes: { written: ['/left.txt'] } })
  expect(JSON.stringify(server.requests.at(-1))).toContain('ended with it. Changes: wrote /left.txt.')
})
