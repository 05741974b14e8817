import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { byTask, type Call } from '../../e2e/model-server/scenario.ts'
import { coppice, folder } from './coppice.testkit.ts'

const write = (file_path: string, content: string): { calls: readonly Call[] } => ({
  calls: [{ name: 'write_file', input: { file_path, content } }],
})
const many = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => write(`/${name}${at}.txt`, 'x\n'))

it('bisect names the step that broke a check, inside of what was merged, and takes it off', async () => {
  const server = await startModelServer(
    byTask({
      main: [
        ...many('before', 3),
        {
          calls: [{ name: 'spawn_subagents', input: { tasks: ['one', 'two'].map((name) => ({ task: name, name })) } }],
        },
        { calls: [{ name: 'merge_subagent', input: { handle: ['subagent_0', 'subagent_1'] } }] },
        ...many('after', 4),
        { text: 'Done.' },
      ],
      one: [...many('one', 3), { text: 'One.' }],
      two: [...many('two', 2), write('/bad.txt', 'broken\n'), ...many('more', 2), { text: 'Two.' }],
    }),
  )
  onTestFinished(() => server[Symbol.asyncDispose]())
  const data = folder()
  const project = join(data, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'a.txt'), 'a\n')
  const settings = {
    checks: [
      { name: 'whole', run: 'if test -e bad.txt; then exit 3; fi' },
      { name: 'never', run: 'false' },
    ],
  }
  writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
  const run = async (...args: readonly string[]) => {
    const access = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
    const { code, stdout, stderr } = await coppice([...args, '--data-dir', data], access)
    return { code, stdout, stderr, json: args.includes('--json') && stdout ? JSON.parse(stdout) : null }
  }
  await run('run', project, '--task', 'main', '--approve', 'all', '--quiet')

  expect(await run('bisect', 'last')).toMatchObject({ code: 2, stderr: expect.stringContaining('whole, never') })
  expect(await run('bisect', 'last', '--check', 'else')).toMatchObject({ code: 2 })
  expect(await run('bisect', 'last', '--check', 'never')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('red before the first step'),
  })
  const found = await run('bisect', 'last', '--check', 'whole', '--json')
  expect(found).toMatchObject({ code: 0, json: { kind: 'found', steps: 3 + 3 + 5 + 4, undone: null } })
  expect(found.json.found).toMatchObject([
    { branch: 'two', handle: 'subagent_1', tool: 'write_file', task: 'two', files: [{ path: '/bad.txt' }] },
  ])
  expect(found.json.diffs[0].hunks[0].lines).toContain('+broken')
  expect(found.json.runs).toBeLessThanOrEqual(Math.ceil(Math.log2(15)) + 2)

  const said = await run('bisect', 'last', '--check', 'whole')
  const [, thread = '', to = ''] = /"coppice rewind (\S+) (\d+)/.exec(said.stdout) ?? []
  expect(await run('rewind', thread, to, '--yes')).toMatchObject({ code: 0 })
  expect((await run('bisect', thread, '--check', 'whole', '--json')).json).toMatchObject({ kind: 'green' })
  expect(await run('undo', 'last')).toMatchObject({ code: 0 })

  const undone = await run('bisect', 'last', '--check', 'whole', '--undo')
  expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining('whole was broken by write_file of') })
  expect(undone.stdout).toContain('It worked on: two')
  expect((await run('bisect', 'last', '--check', 'whole', '--json')).json).toMatchObject({ kind: 'green' })
  expect((await run('undo', 'last')).stdout).toContain('change of 1 file by hand')
  expect((await run('bisect', 'last', '--check', 'whole', '--json')).json).toMatchObject({ kind: 'found' })
})
