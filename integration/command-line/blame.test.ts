import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../e2e/support/coppice.ts'
import type { FileBlame } from '../../src/shared/contract/views/files.ts'
import { coppice, folder } from './coppice.testkit.ts'

it('says for each line which agent wrote it, in which call, also after a merge', async () => {
  const data = folder()
  const project = join(data, 'tally')
  cpSync(join(root, 'resources/demo/tally'), project, { recursive: true })
  const run = (...args: readonly string[]) => coppice([...args, '--data-dir', data])
  await run('run', project, '--model', 'demo', '--task', 'Show', '--approve', 'all', '--quiet')
  const blamed = async (...args: readonly string[]) =>
    JSON.parse((await run('blame', 'last', ...args, '--json')).stdout) as FileBlame
  const { lines, sources } = await blamed('src/format.js')
  const whose = lines.map(({ source }) => (source === null ? null : sources[source]?.agent))
  expect(new Set(whose)).toEqual(new Set([null, 'format']))
  expect(sources[0]).toMatchObject({ agent: 'format', handle: 'subagent_0', how: 'call' })
  expect(sources[0]?.task).not.toBe('')

  const shown = await run('blame', 'last', '/src/format.js')
  expect(shown.stdout).toMatch(/^format subagent_0 \w+ .*│ +\d+ /m)
  writeFileSync(join(project, 'src/parse.js'), 'by hand\n')
  expect((await blamed('src/parse.js')).lines).toEqual([{ text: 'by hand\n', source: null }])
})

it.each([
  [['blame', 'last', 'none.js'], 'There is no file /none.js'],
  [['blame', 'last', '../out.js'], '../out.js'],
  [['blame', 'last'], 'a path'],
])('says what is wrong: %j', async (args, words) => {
  const data = folder()
  const project = join(data, 'tally')
  cpSync(join(root, 'resources/demo/tally'), project, { recursive: true })
  await coppice(['run', project, '--model', 'demo', '--task', 'Show', '--quiet', '--data-dir', data])
  const { code, stderr } = await coppice([...args, '--data-dir', data])
  expect(code).not.toBe(0)
  expect(stderr).toContain(words)
})
