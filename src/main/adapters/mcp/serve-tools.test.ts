import { Client, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import type { ServedTools } from '#core/ports/programs/external-agent.ts'
import type { Talk } from '#core/ports/shell.ts'
import { createToolServer } from './serve-tools.ts'

const inputSchema = { type: 'object', properties: { text: { type: 'string' } } }
const tools: ServedTools = {
  instructions: 'Use them.',
  list: () => [{ name: 'echo', description: 'Says it again.', inputSchema }],
  call: async (name, { text }) => ({
    ok: name === 'echo',
    content: [{ type: 'text', text: `${name} ${text}` }],
  }),
}

/** A client of the protocol's library, over a talk. `say` puts in what no library would. */
async function connect(served: ServedTools = tools) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let hear: (bytes: Uint8Array) => void = () => undefined
  const buffer = new ReadBuffer()
  const transport: Transport = {
    start: async () => undefined,
    send: async (message) => hear(new TextEncoder().encode(serializeMessage(message))),
    close: async () => end(),
  }
  const talk: Talk = {
    ended,
    close: end,
    listen: (onBytes) => {
      hear = onBytes
    },
    write(text) {
      buffer.append(Buffer.from(text))
      for (let message = buffer.readMessage(); message; message = buffer.readMessage()) transport.onmessage?.(message)
    },
  }
  createToolServer('1.2.3').serve(talk, served)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return { client, ended, say: (bytes: string) => hear(new TextEncoder().encode(bytes)) }
}

it('lists the tools and answers, with errors too', async () => {
  const { client } = await connect()
  expect(client.getInstructions()).toBe('Use them.')
  expect(client.getServerVersion()).toMatchObject({ name: 'coppice', version: '1.2.3' })
  expect(await client.listTools()).toMatchObject({ tools: [{ name: 'echo', inputSchema }] })
  const long = 'ä'.repeat(3_000_000)
  const result = await client.callTool({ name: 'echo', arguments: { text: long } })
  expect(result.content).toEqual([{ type: 'text', text: `echo ${long}` }])
  expect(await client.callTool({ name: 'other' })).toMatchObject({ isError: true })
})

it('hears when nobody waits for a result any more', async () => {
  const begun = Promise.withResolvers<AbortSignal>()
  const { client } = await connect({
    ...tools,
    call(_name, _args, signal) {
      begun.resolve(signal)
      return new Promise(() => undefined)
    },
  })
  const stop = new AbortController()
  const call = client.callTool({ name: 'echo' }, { signal: stop.signal }).catch(() => 'given up')
  const signal = await begun.promise
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
  stop.abort()
  await aborted
  expect(await call).toBe('given up')
})

// Mutation: leave out the `try` around `readMessage`.
it('goes on after lines that are no messages, and ends a talk with one that is too long', async () => {
  const { client, ended, say } = await connect()
  say('not json\n{"half":\n[]\n{"jsonrpc":"2.0","id":9}\n\n')
  expect(await client.callTool({ name: 'echo', arguments: { text: 'on' } })).toMatchObject({
    content: [{ text: 'echo on' }],
  })
  say('x'.repeat(17 * 1024 * 1024))
  await ended
})
