import { expect, it } from 'vitest'
import { byTask, type ScriptedAnswer, type ScriptedCall } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'

const done: ScriptedAnswer = { text: 'done' }
const write = (file_path: string, content: string): ScriptedAnswer => ({
  calls: [{ name: 'write_file', input: { file_path, content } }],
})
const edit = (file_path: string, old_string: string, new_string: string): ScriptedCall => ({
  name: 'edit_file',
  input: { file_path, old_string, new_string },
})
const spawn = (...tasks: readonly string[]): ScriptedCall => ({
  name: 'spawn_subagents',
  id: 'spawn',
  input: { tasks },
})

it('returns what each changed as a patch, in bounds, and without what may not be read', async () => {
  const long = 'a line of the file\n'.repeat(2_000)
  const world = await openWorld({
    files: { '/a': 'one\ntwo\n', '/old': 'x\n', '/.env': 'A=\n' },
    script: byTask({
      main: [{ calls: [spawn('small', 'large', 'idle')] }],
      small: [
        { calls: [edit('/a', 'two', 'zwei'), { name: 'delete', input: { path: '/old' } }] },
        write('/b\n+added by nobody/.env', 'TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ456789\n'),
        write('/.env', 'TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ456789\n'),
        done,
      ],
      large: [write('/long', long), done],
      idle: [done],
    }),
  })
  const id = await world.run('main')
  const { subagents } = JSON.parse(world.results(id).spawn ?? '{}')
  const [small, large, idle] = subagents.map(({ patch }: { patch?: string }) => patch)
  expect(small).toContain('diff --git a/.env b/.env (not to be read without asking)\n')
  expect(small).toMatch(/diff --git a\/a b\/a\nindex .*\n@@ -1,2 \+1,2 @@\n one\n-two\n\+zwei\n/s)
  expect(small).toMatch(/deleted file mode 100644.*-x\n$/s)
  expect(large.length).toBeLessThan(14_000)
  expect(large).toContain('+a line of the file\n(1')
  expect(JSON.stringify(subagents)).not.toContain('ghp_')
  expect(small.split('\n')).not.toContain('+added by nobody/.env b/b')
  expect(idle).toBeUndefined()
})
