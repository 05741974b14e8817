import { expect, it } from 'vitest'
import { byTask, type ScriptedCall } from '../../ports/model-client.testkit.ts'
import { openWorld, shownMessage } from '../agent-world.testkit.ts'

const read = (file_path: string): ScriptedCall => ({ name: 'read_file', input: { file_path } })
const folderInstructions = { '/src': 'RULE OF SRC', '/src/deep': 'RULE OF DEEP', '/docs': 'RULE OF DOCS' }
const files = { '/src/deep/a.txt': 'a', '/src/b.txt': 'b', '/docs/c.md': 'c', '/top.txt': 't' }
const tellings = (text: string, rule: string) => text.split(rule).length - 1

it('adds the instructions of a folder once, when a file below it is first read', async () => {
  const world = await openWorld({
    files,
    folderInstructions,
    script: byTask({
      main: [
        { calls: [read('/top.txt')] },
        { calls: [read('/src/b.txt')] },
        { calls: [read('/src/deep/a.txt')] },
        { calls: [read('/src/b.txt')] },
      ],
    }),
  })
  const id = await world.run('main')
  await world.say(id, 'again')
  const told = world.requests.map(({ messages }) => messages.map(shownMessage).join('\n'))
  expect(told.map((text) => [tellings(text, 'RULE OF SRC'), tellings(text, 'RULE OF DEEP')])).toEqual([
    [0, 0],
    [0, 0],
    [1, 0],
    [1, 1],
    [1, 1],
    [1, 1],
  ])
  expect(told[2]).toContain('Instructions for what lies below this folder (/src/AGENTS.md):\n\nRULE OF SRC')
})

it('adds those of several folders in one message, the outer one first', async () => {
  const world = await openWorld({
    files,
    folderInstructions,
    script: byTask({ main: [{ calls: [read('/src/deep/a.txt'), read('/docs/c.md')] }] }),
  })
  await world.run('main')
  expect(world.entries('instructions.told').map(({ files: told }) => told)).toEqual([
    ['/src/AGENTS.md', '/src/deep/AGENTS.md', '/docs/AGENTS.md'],
  ])
})

it('adds them after a change of a file, too, and not again after a restart', async () => {
  const write = { name: 'write_file', input: { file_path: '/src/new.txt', content: 'x' } }
  const world = await openWorld({
    folderInstructions,
    script: byTask({ main: [{ calls: [write] }, { text: 'Done.' }, { calls: [read('/src/new.txt')] }] }),
  })
  const id = await world.run('main')
  const again = await world.restart()
  await again.say(id, 'go on')
  expect(again.entries('instructions.told')).toHaveLength(1)
})
