import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { startModelServer } from '../model-server/model-server.ts'
import { coppice } from '../support/coppice.ts'

test.skip(process.platform !== 'linux', 'Only Linux has a sandbox for commands.')

test('a command installs from a registry with a login that nothing of Coppice stores or shows', async () => {
  const [home, project, data] = ['home', 'project', 'data'].map((name) =>
    mkdtempSync(join(tmpdir(), `coppice-${name}-`)),
  )
  const logins: (string | undefined)[] = []
  const registry = createServer((request, response) => {
    logins.push(request.headers.authorization)
    response.end('the package')
  }).listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const at = `localhost:${(registry.address() as AddressInfo).port}`
  writeFileSync(join(String(home), '.npmrc'), `registry=http://${at}/\n//${at}/:_authToken=canary\${SECRET}\n`)
  const command = `NO_PROXY= no_proxy= curl -sS -m 5 http://${at}/thing; cat $NPM_CONFIG_USERCONFIG; env`
  await using model = await startModelServer((_, { count }) =>
    count === 0 ? { calls: [{ name: 'execute', id: 'c1', input: { command } }] } : { text: 'Installed.' },
  )
  const variables = { HOME: String(home), SECRET: '0123456789', ANTHROPIC_API_KEY: 'sk', ANTHROPIC_BASE_URL: model.url }
  const task = ['run', String(project), '--task', 'x', '--json', '--approve', 'all', '--allow-host', 'localhost']
  const { stdout, stderr, code } = await coppice([...task, '--data-dir', String(data)], variables)
  registry.close()
  expect(code).toBe(0)
  const asked = JSON.stringify(model.requests)
  expect(asked).toContain(`the packageregistry=http://${at}/`)
  expect(logins).toEqual(['Bearer canary0123456789'])
  const files = readdirSync(String(data), { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  const stored = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
  for (const text of [asked, stdout, stderr, ...stored]) expect(text).not.toContain('0123456789')
})
