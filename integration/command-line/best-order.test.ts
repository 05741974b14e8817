import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { byTask, type Call } from '../../e2e/model-server/scenario.ts'
import { coppice, folder } from './coppice.testkit.ts'

const write = (...names: readonly string[]): { calls: readonly Call[] } => ({
  calls: names.map((name) => ({ name: 'write_file', input: { file_path: `/${name}`, content: `${names.join()}\n` } })),
})

it('branches say with whom they will conflict, and clean ones merge in the order in which most of them merge', async () => {
  const names = ['middle', 'left', 'right']
  const server = await startModelServer(
    byTask({
      main: [
        { calls: [{ name: 'spawn_subagents', input: { tasks: names.map((name) => ({ task: name, name })) } }] },
        { text: 'Started.' },
      ],
      middle: [write('a.txt', 'b.txt'), { text: 'Middle.' }],
      left: [write('a.txt'), { text: 'Left.' }],
      right: [write('b.txt'), { text: 'Right.' }],
    }),
  )
  onTestFinished(() => server[Symbol.asyncDispose]())
  const data = folder()
  const project = join(data, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'own.txt'), 'own\n')
  const run = async (...args: readonly string[]) => {
    const access = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
    const { code, stdout } = await coppice([...args, '--data-dir', data], access)
    return { code, stdout, json: args.includes('--json') ? JSON.parse(stdout) : null }
  }
  await run('run', project, '--task', 'main', '--approve', 'all', '--quiet')

  const listed = await run('branches', 'last', '--json')
  const coming = listed.json.branches.map(({ will_conflict: rivals }: { will_conflict: readonly object[] }) => rivals)
  expect(coming).toMatchObject([
    [
      { name: 'left', handle: 'subagent_1', path: '/a.txt' },
      { name: 'right', handle: 'subagent_2', path: '/b.txt' },
    ],
    [{ name: 'middle', path: '/a.txt' }],
    [{ name: 'middle', path: '/b.txt' }],
  ])
  expect((await run('branches', 'last')).stdout).toContain('will conflict with left, right: /a.txt, /b.txt')
  const merged = await run('merge', 'last', '--all', 'clean', '--json')
  expect([merged.code, merged.json.sequences.length, merged.json.left]).toMatchObject([3, 2, [{ name: 'middle' }]])
})
