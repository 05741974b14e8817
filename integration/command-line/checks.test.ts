import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { byTask, type Call } from '../../e2e/model-server/scenario.ts'
import { coppice, folder } from './coppice.testkit.ts'

const write = (file_path: string, content: string): { calls: readonly Call[] } => ({
  calls: [{ name: 'write_file', input: { file_path, content } }],
})

it('checks are listed and run, and branches merged when they are green', async () => {
  const server = await startModelServer(
    byTask({
      main: [
        {
          calls: [
            {
              name: 'spawn_subagents',
              input: { tasks: ['good', 'bad', 'clash'].map((name) => ({ task: name, name })) },
            },
          ],
        },
        write('/shared.txt', 'mine\n'),
        { text: 'Started.' },
      ],
      good: [write('/good.txt', 'fine\n'), { text: 'Good.' }],
      bad: [write('/bad.txt', 'broken\n'), { text: 'Bad.' }],
      clash: [write('/shared.txt', 'theirs\n'), { text: 'Clash.' }],
    }),
  )
  onTestFinished(() => server[Symbol.asyncDispose]())
  const data = folder()
  const project = join(data, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'a.txt'), 'a\n')
  const settings = { checks: [{ name: 'whole', run: 'if test -e bad.txt; then echo bad.txt is there; exit 3; fi' }] }
  writeFileSync(join(data, 'settings.json'), JSON.stringify(settings))
  const run = async (...args: readonly string[]) => {
    const access = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
    const { code, stdout, stderr } = await coppice([...args, '--data-dir', data], access)
    return { code, stdout, stderr, json: args.includes('--json') ? JSON.parse(stdout) : null }
  }
  await run('run', project, '--task', 'main', '--approve', 'all', '--quiet')

  const before = await run('checks', 'last', '--json')
  expect(before.code).toBe(0)
  const states = ({ branches }: { branches: { name: string; checks: { state: string }[] }[] }) =>
    Object.fromEntries(branches.map(({ name, checks }) => [name, checks.map(({ state }) => state).join()]))
  expect(states(before.json)).toEqual({ workspace: 'none', good: 'none', bad: 'none', clash: 'none' })

  const ran = await run('checks', 'last', 'good', 'bad', '--run')
  expect(ran.code).toBe(5)
  expect(ran.stdout).toMatch(/good +subagent_0 +whole +green/)
  expect(ran.stdout).toMatch(/bad +subagent_1 +whole +red +exit code 3/)
  expect(ran.stdout).toContain('bad.txt is there')
  const known = await run('checks', 'last', 'bad', '--json')
  expect([known.code, known.json.branches[0].checks[0]]).toEqual([
    5,
    expect.objectContaining({
      name: 'whole',
      required: true,
      state: 'red',
      exit_code: 3,
      output: 'bad.txt is there\n',
    }),
  ])

  const listed = await run('branches', 'last')
  expect(listed.stdout).toMatch(/bad +subagent_1 +open +red +1 file/)

  const merged = await run('merge', 'last', '--when', 'green')
  expect(merged.code).toBe(5)
  expect(merged.stdout).toContain('good: merged, its checks are green\n')
  expect(merged.stdout).toMatch(/bad: not merged, red on the merged files\n {2}whole\n {2}bad\.txt is there/)
  expect(merged.stdout).toContain('clash: conflict in /shared.txt\n')
  const again = await run('merge', 'last', 'good', '--when', 'green', '--json')
  expect(again.json.merges[0]).toMatchObject({ handle: 'subagent_0', name: 'good' })

  const wrong = [
    await run('checks', 'last', 'nobody'),
    await run('checks', 'last', '--name', 'other'),
    await run('merge', 'last', '--when', 'red'),
    await run('merge', 'last', '--when', 'green', '--force'),
  ]
  expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2, 2])
  expect(wrong[1]?.stderr).toContain('There is no check other. Checks: whole.')
})
