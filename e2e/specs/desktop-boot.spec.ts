import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { environment, node, root } from '../support/coppice.ts'

test('The built desktop app opens its window, hears its menu and quits, over a stand-in for Electron', () => {
  const stub = join(root, 'e2e/support/electron-stub.mjs')
  const env = environment({ COPPICE_DATA_DIR: test.info().outputPath('data') })
  const { stdout, stderr } = spawnSync(node, [stub], { cwd: root, env, encoding: 'utf8', timeout: 60_000 })
  expect(JSON.parse(stdout || '{}'), stderr).toEqual({
    loaded: 'app://coppice/index.html',
    shell: 'desktop',
    version: '9.9.9',
    request: { type: 'command', command: 'about' },
    boxes: [],
  })
})
