import { expect, it } from 'vitest'
import type { MessageId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import { formatInputNote } from '#shared/model/messages/message-notes.ts'
import { openWorld } from '../agent/agent-world.testkit.ts'
import { executeCommand } from './command.ts'
import { editQueue, type QueueEdit } from './queue.ts'

/** A thread that waits for an approval, with three messages behind it. */
async function open() {
  const world = await openWorld({
    script: ({ messages }) =>
      messages.length === 1 ? { calls: [{ name: 'execute', id: 'e', input: { command: 'ls' } }] } : { text: 'Done.' },
  })
  const id = await world.run('main')
  for (const text of ['one', 'two', 'three']) world.runtime.send(id, [{ type: 'text', text }], 'queue')
  const queue = () => world.thread(id).queue.map(({ content }) => textOf(content))
  const idOf = (text: string) =>
    world.thread(id).queue.find(({ content }) => textOf(content) === text)?.messageId ?? ('none' as MessageId)
  const edit = (change: QueueEdit) => executeCommand(world.services.log, editQueue(world.services, id, change))
  return { world, id, queue, idOf, edit }
}

it('moves, rewrites and removes messages that wait', async () => {
  const { queue, idOf, edit } = await open()
  expect(queue()).toEqual(['one', 'two', 'three'])
  edit({ kind: 'move', messageId: idOf('three'), by: -1 })
  expect(queue()).toEqual(['one', 'three', 'two'])
  edit({ kind: 'move', messageId: idOf('one'), by: 9 })
  edit({ kind: 'rewrite', messageId: idOf('two'), text: 'second' })
  expect(queue()).toEqual(['three', 'second', 'one'])
  edit({ kind: 'remove', messageId: idOf('three') })
  expect(queue()).toEqual(['second', 'one'])
})

it('puts a removed message back in its place, as it was last', async () => {
  const { world, id, queue, idOf, edit } = await open()
  const messageId = idOf('two')
  edit({ kind: 'rewrite', messageId, text: 'second' })
  edit({ kind: 'remove', messageId })
  edit({ kind: 'restore', messageId, at: 1 })
  expect(queue()).toEqual(['one', 'second', 'three'])
  expect(editQueue(world.services, id, { kind: 'restore', messageId, at: 1 }).ok).toBe(false)
})

it('does not put a delivered message back', async () => {
  const { world, id, idOf } = await open()
  const messageId = idOf('two')
  await world.approve('e')
  expect(editQueue(world.services, id, { kind: 'restore', messageId, at: 0 }).ok).toBe(false)
})

it('keeps the input files of a message that is rewritten', async () => {
  const { world, id, queue, idOf, edit } = await open()
  const note = formatInputNote({ path: '/inputs/data.csv', about: '2 columns, 1 row', detail: 'a, b' })
  world.runtime.send(id, [{ type: 'text', text: `Read it${note}` }], 'queue')
  edit({ kind: 'rewrite', messageId: idOf(`Read it${note}`), text: 'Sum it' })
  expect(queue().at(-1)).toBe(`Sum it${note}`)
})

// Mutation: keep the command of the message, and a text without one narrows its run.
it('gives a rewritten message the command of its new text, and keeps it where only the place changes', async () => {
  const { world, id, idOf, edit } = await open()
  const command = { name: 'fix', allowedTools: ['read_file'], model: null, effort: null }
  world.runtime.send(id, [{ type: 'text', text: '/fix' }], 'queue', { step: false, command })
  const last = () => world.thread(id).queue.at(-1)?.command
  expect(last()).toEqual(command)
  edit({ kind: 'move', messageId: idOf('/fix'), by: -1 })
  edit({ kind: 'move', messageId: idOf('/fix'), by: 1 })
  expect(last()).toEqual(command)
  edit({ kind: 'rewrite', messageId: idOf('/fix'), text: '/none', notes: '', command: { ...command, name: 'none' } })
  expect(last()?.name).toBe('none')
  edit({ kind: 'rewrite', messageId: idOf('/none'), text: 'plain', notes: '' })
  expect(last()).toBeUndefined()
})

it('delivers a message before the others, at the next safe point', async () => {
  const { world, id, queue, idOf, edit } = await open()
  edit({ kind: 'deliver', messageId: idOf('three') })
  expect(queue()).toEqual(['three', 'one', 'two'])
  expect(world.thread(id).queue.map(({ delivery }) => delivery)).toEqual(['steer', 'queue', 'queue'])
  await world.approve('e')
  const said = world
    .thread(id)
    .messages.filter(({ role }) => role === 'user')
    .map(({ content }) => textOf(content))
  expect(said).toEqual(['main', 'three', 'one', 'two'])
})

it('says that a message is gone, and refuses an empty one', async () => {
  const { world, id, idOf } = await open()
  const refused = (change: QueueEdit) => {
    const decided = editQueue(world.services, id, change)
    return decided.ok ? 'allowed' : decided.error.code
  }
  expect(refused({ kind: 'remove', messageId: 'none' as MessageId })).toBe('not_found')
  expect(refused({ kind: 'rewrite', messageId: idOf('one'), text: ' ' })).toBe('invalid')
})
