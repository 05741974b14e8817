import {
  type AgentContext,
  type ClientConnection,
  client,
  type InitializeRequest,
  methods,
  ndJsonStream,
} from '@agentclientprotocol/sdk'
import { sendFrame } from '#host/handover/frames.ts'
import type { HandOver } from '../handover/handed-line.ts'
import { byteStream } from './byte-stream.ts'

/**
 * Serves sessions by the process that has their project open: it runs this command line too, and both talk the protocol.
 * What that one asks goes on to the editor. Rejects with the reason when it does not answer.
 */
export async function attach(
  { socket, listen, holder }: HandOver,
  editor: AgentContext,
  hello: InitializeRequest,
): Promise<ClientConnection> {
  let errors = ''
  const incoming = byteStream((take, end) =>
    listen((frame) => {
      if (frame?.kind === 'output') take(Buffer.from(frame.bytes, 'base64'))
      else if (frame?.kind === 'errors') errors += Buffer.from(frame.bytes, 'base64').toString()
      else if (frame === null || frame.kind === 'exit') end()
    }),
  )
  const outgoing = new WritableStream<Uint8Array>({
    write: (bytes) =>
      new Promise((sent) => sendFrame(socket, { kind: 'input', bytes: Buffer.from(bytes).toString('base64') }, sent)),
  })
  const { session, fs } = methods.client
  const connection = client({ name: 'coppice' })
    .onNotification(session.update, ({ params }) => editor.notify(session.update, params))
    .onRequest(session.requestPermission, ({ params, signal: cancellationSignal }) =>
      editor.request(session.requestPermission, params, { cancellationSignal }),
    )
    .onRequest(fs.readTextFile, ({ params }) => editor.request(fs.readTextFile, params))
    .connect(ndJsonStream(outgoing, incoming))
  void connection.closed.then(() => socket.destroy())
  try {
    await connection.agent.request(methods.agent.initialize, hello)
  } catch (error) {
    connection.close()
    throw new Error(`This project is open in ${holder}, which does not take it: ${errors.trim() || String(error)}`)
  }
  return connection
}
