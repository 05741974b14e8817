import { expect, it } from 'vitest'
import { turnOf } from '../../ports/model-client.testkit.ts'
import { openWorld } from '../agent-world.testkit.ts'

const write = (id: string, file_path: string) => ({ name: 'write_file', id, input: { file_path, content: 'x' } })
const execute = (id: string, command: string) => ({ name: 'execute', id, input: { command } })

/** What the cards of one reply say about the files that its commands use. */
async function cardsOf(...turns: readonly (readonly { name: string; id: string; input: object }[])[]) {
  const world = await openWorld({
    files: { '/package.json': '{}' },
    script: (request) => {
      const calls = turns[turnOf(request)]
      return calls ? { calls: calls as never } : { text: 'Done.' }
    },
  })
  const id = await world.run('main')
  return world
    .thread(id)
    .interrupts.flatMap((interrupt) =>
      interrupt.action_requests.map(({ callId, changedBefore, scripts }) => ({ callId, changedBefore, scripts })),
    )
}

it('says on the card of a command which files of the same reply change before it runs', async () => {
  expect(
    await cardsOf([write('a', '/a.txt'), execute('b', 'cat a.txt'), write('c', '/c.txt'), execute('d', 'ls')]),
  ).toEqual([
    { callId: 'b', changedBefore: ['/a.txt'], scripts: ['/a.txt'] },
    { callId: 'd', changedBefore: ['/a.txt', '/c.txt'], scripts: undefined },
  ])
})

it('says on the card of a command which files it uses that agents changed earlier', async () => {
  expect(await cardsOf([write('a', '/package.json')], [execute('b', 'npm test')])).toEqual([
    { callId: 'b', changedBefore: undefined, scripts: ['/package.json'] },
  ])
  expect(await cardsOf([execute('b', 'npm test')])).toEqual([
    { callId: 'b', changedBefore: undefined, scripts: undefined },
  ])
})

// Mutation: without `findSecretReplaced` none of these asks, although commands may do none of it.
it('asks in every mode before a secret file of the person is replaced, moved or deleted, also inside a folder', async () => {
  const secret = 'API_KEY=sk-0123456789abcdef0123456789'
  const calls = [
    { name: 'write_file', id: 'write', input: { file_path: '/.env', content: 'A=1' } },
    { name: 'delete', id: 'delete', input: { path: '/.env' } },
    { name: 'delete', id: 'folder', input: { path: '/deep' } },
    { name: 'move', id: 'move', input: { from: '/deep/down', to: '/up' } },
    { name: 'move', id: 'onto', input: { from: '/a', to: '/.env' } },
    { name: 'delete', id: 'plain', input: { path: '/plain' } },
    { name: 'write_file', id: 'made', input: { file_path: '/made/.env', content: secret } },
  ]
  const files = { '/.env': secret, '/deep/down/key.pem': '-----BEGIN PRIVATE KEY-----\nx', '/plain/x': 'x', '/a': 'a' }
  for (const call of calls) {
    const world = await openWorld({
      files,
      script: (request) => (turnOf(request) === 0 ? { calls: [call as never] } : { text: 'Done.' }),
    })
    const id = await world.run('main', 'auto')
    const asks = world.thread(id).interrupts.length > 0
    expect([call.id, asks]).toEqual([call.id, !['plain', 'made'].includes(call.id)])
  }
})

// Mutation: say nothing where the look ends before the last entry.
it('looks for secrets to the end of a folder, asks about one that is too large to be looked through', async () => {
  const plain = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`/big/${at}`, 'x']))
  const reasonFor = async (files: Readonly<Record<string, string>>) => {
    const remove = { name: 'delete', id: 'd', input: { path: '/big' } }
    const world = await openWorld({
      files,
      script: (request) => (turnOf(request) === 0 ? { calls: [remove as never] } : { text: 'Done.' }),
    })
    const id = await world.run('main', 'auto')
    return world.thread(id).interrupts[0]?.action_requests[0]?.rule
  }
  const key = { '/big/zz/key.pem': '-----BEGIN PRIVATE KEY-----\nx' }
  expect(await reasonFor({ ...plain(3_000), ...key })).toContain('/big/zz/key.pem may hold secrets')
  expect(await reasonFor(plain(3_000))).toBeUndefined()
  expect(await reasonFor(plain(10_001))).toContain('/big may hold secrets')
})
