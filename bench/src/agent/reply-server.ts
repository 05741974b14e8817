import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { streamEvents } from '../../../e2e/model-server/events.ts'

// Streams a reply of as many events as the first argument says, in both formats. Sends its port to its parent.
const count = Number(process.argv[2])
const text = 'word '.repeat(count)
const messages = streamEvents({ model: 'm1', messages: [] }, { text: 'x'.repeat(24 * count) }, 'm')
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('')
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const completions = [
  ...text
    .trim()
    .split(' ')
    .map((word) => chunk({ content: `${word} ` })),
  chunk({}, 'stop'),
]
  .concat('data: [DONE]\n\n')
  .join('')

const server = createServer((incoming, response) => {
  incoming.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(incoming.url?.includes('completions') ? completions : messages)
  })
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
