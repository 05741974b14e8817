import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../e2e/support/coppice.ts'
import { coppice, folder } from './coppice.testkit.ts'

it('verbs look at a thread, merge, undo, rewind and apply, with exit codes and JSON', async () => {
  const data = folder()
  const project = join(data, 'tally')
  cpSync(join(root, 'resources/demo/tally'), project, { recursive: true })
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await coppice([...args, '--data-dir', data])
    return { code, stdout, stderr, json: args.includes('--json') ? JSON.parse(stdout) : null }
  }
  const quiet = await run('run', project, '--model', 'demo', '--task', 'Show', '--approve', 'all', '--quiet')
  expect([quiet.code, quiet.stderr.includes('Read ')]).toEqual([0, false])
  const [listed, patch, clean, conflict, ambiguous] = [
    await run('branches', 'last', '--json'),
    await run('diff', 'last'),
    await run('merge', 'last', '--all', 'clean', '--json'),
    await run('merge', 'last', 'docs', '--json'),
    await run('merge', 'last', 'nobody', '--json'),
  ]
  const states = listed.json.branches.map(({ name, state }: { name: string; state: string }) => [name, state])
  expect(Object.fromEntries(states)).toEqual({ format: 'merged', tests: 'merged', docs: 'open' })
  expect(patch.stdout).toMatch(/^diff --git a\/CHANGELOG.md b\/CHANGELOG.md\n/)
  expect([clean.code, clean.json.left.length, conflict.code]).toEqual([3, 1, 3])
  expect(conflict.json.merges[0].result.conflicts).toMatchObject([{ path: '/README.md' }])
  expect([ambiguous.code, ambiguous.json.error.code]).toEqual([2, 'USAGE'])
  expect(ambiguous.json.error.message).toContain('format (subagent_0')
  const forced = await run('merge', 'last', 'subagent_2', '--force', '--json')
  const undone = await run('undo', 'last', '--json')
  expect([forced.code, undone.json.undone.description]).toEqual([0, 'merge of docs'])
  const checkpoints = (await run('rewind', 'last', '--json')).json.checkpoints
  const to = checkpoints.at(-1).to
  const refused = await run('rewind', 'last', String(to), '--json')
  expect([refused.code, refused.json.error.code]).toEqual([3, 'CONFIRM'])
  const back = await run('rewind', 'last', String(to), '--yes', '--json')
  expect([back.code, (await run('diff', 'last', '--json')).json.files]).toEqual([0, []])
  expect((await run('undo', 'last')).stdout).toBe(`Undone: rewind to ${to}\n`)
  writeFileSync(join(project, 'README.md'), 'Changed meanwhile.\n')
  const blocked = await run('apply', 'last', '--json')
  expect([blocked.code, blocked.json.applied]).toEqual([3, false])
  const applied = await run('apply', 'last', '--paths', '/src', '--paths', '/test', '--json')
  expect(applied.json.written).toEqual(['/src/format.js', '/src/total.js', '/test/parse.test.js'])
  const past = await run('rewind', 'last', String(to), '--yes')
  expect(past.stdout).toContain(
    'Stays in the folder, because it was applied since: /src/format.js, /src/total.js, /test',
  )
  // The next steps that it names, in their order.
  const steps = [...past.stdout.matchAll(/^ {2}coppice (\w+) (\w+)/gm)].map(([, verb = '', id = '']) => [verb, id])
  expect(steps.map(([verb]) => verb)).toEqual(['undo', 'undo', 'undo', 'rewind'])
  for (const [verb = '', id = ''] of steps.slice(1, 3)) expect((await run(verb, id)).code).toBe(0)
  expect(readFileSync(join(project, 'src/total.js'), 'utf8')).toBe(
    readFileSync(join(root, 'resources/demo/tally/src/total.js'), 'utf8'),
  )
  expect((await run('rewind', 'last', String(to), '--yes')).stdout).not.toContain('Stays in the folder')
  expect((await run('undo', 'last')).code).toBe(0)
  expect((await run('apply', 'last', '--paths', '/src', '--paths', '/test', '--json')).json.applied).toBe(true)
  const [undecided, theirs] = [
    await run('apply', 'last', '--join'),
    await run('apply', 'last', '--theirs', 'README.md'),
  ]
  expect(undecided.stdout).toContain('--ours /README.md  the thread’s version')
  expect([undecided.code, theirs.code]).toEqual([3, 0])
  expect(theirs.stdout).toContain('Left /README.md as it is in the folder.\n')
  expect(readFileSync(join(project, 'README.md'), 'utf8')).toBe('Changed meanwhile.\n')
})
