import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startModelServer } from '../model-server/model-server.ts'
import { coppice, root, startCoppice } from '../support/coppice.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-records-'))
const project = join(root, 'e2e/fixtures/ledger')

test('a run that is killed leaves a record that can be replayed up to there', async () => {
  await using server = await startModelServer(({ messages }, { count }) =>
    count < 3
      ? { calls: [{ name: 'write_file', input: { file_path: `/${messages.length}.txt`, content: 'x' } }] }
      : { text: 'never', after: new Promise(() => {}) },
  )
  const record = join(folder(), 'bug.jsonl')
  const args = ['run', project, '--data-dir', folder(), '--task', 'x', '--record', record]
  const child = startCoppice(args, { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url })
  const closed = new Promise((resolve) => child.on('close', resolve))
  await expect.poll(() => server.requests.length, { timeout: 60_000 }).toBe(4)
  child.kill('SIGKILL')
  await closed
  const again = await coppice(['run', project, '--replay', record, '--data-dir', folder(), '--json'])
  expect(again.events.at(-1)?.replay, again.stderr).toMatchObject({ same: true, steps: 3 })
})
