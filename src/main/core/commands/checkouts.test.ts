import { expect, it } from 'vitest'
import { createOverlayTransaction, emptyTree } from '#overlay'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openWorld, shownMessage } from '../agent/agent-world.testkit.ts'
import { byTask } from '../ports/model-client.testkit.ts'
import { takeChanges } from './checkouts.ts'
import { executeCommand } from './command.ts'

const read = (name: string) => ({ name: 'read_file', id: `read ${name}`, input: { file_path: `/${name}` } })
const edit = { name: 'edit_file', id: 'edit', input: { file_path: '/a', old_string: 'a', new_string: 'agent' } }
const pause = { calls: [{ name: 'ask_user', id: 'pause', input: { question: 'Go on?' } }] }

it('tells the agent once which files a person changed that it had read, and lets it read them first', async () => {
  const world = await openWorld({
    files: { '/a': 'a', '/b': 'b', '/c': 'c' },
    script: byTask({ main: [{ calls: [read('a'), read('b')] }, pause, { calls: [edit] }, { text: 'Done.' }] }),
  })
  const id = await world.run('main')
  const { services } = world
  const { branchId } = world.thread(id)
  for (const [path, text] of [
    ['/a', 'mine'],
    ['/c', 'mine'],
    ['/b', 'mine'],
    ['/a', 'mine again'],
  ] as const) {
    const tree = services.log.trees.heads.get(branchId) ?? emptyTree
    const draft = createOverlayTransaction({ ...services, tree })
    await draft.write(path as VirtualPath, new TextEncoder().encode(text))
    executeCommand(services.log, takeChanges(services, branchId, draft.patch()))
  }
  await world.decide({ callId: 'pause' as never, type: 'respond', message: 'yes' })
  const said = world.requests.at(-1)?.messages.map(shownMessage).join('\n') ?? ''
  expect(said.split('The user changed files of your branch')).toHaveLength(2)
  expect(said).toContain('that you had read or changed:\n- /a\n- /b\nTheir version counts.')
  expect(world.results(id).edit).toContain('changed since you last read it')
})
