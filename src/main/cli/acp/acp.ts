import { Readable } from 'node:stream'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import type { CommandLine } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { openHost } from '../open-host.ts'
import { printStatus } from '../print-status.ts'
import { type TerminalInput, type TerminalOutput, terminal } from '../screen/terminal.ts'
import { createEditorAgent } from './agent.ts'
import { byteStream } from './byte-stream.ts'

/**
 * `coppice acp`: Coppice as the agent of an editor, on standard input and output, until the editor closes them. Nothing
 * else is ever written there.
 */
export async function acp(line: CommandLine): Promise<number> {
  const { input, output, onStop, runLine } = terminal()
  if (!runLine) throw new Error('Command lines cannot be carried out here.')
  if (input.isTTY)
    printStatus('coppice acp speaks the Agent Client Protocol and is started by an editor. Ctrl+C ends it.')
  await using host = await openHost(line, 'cli')
  const { app, leave } = createEditorAgent(host, runLine)
  const connection = app.connect(ndJsonStream(writing(output), reading(input)))
  using _stopping = onStop(() => connection.close())
  await connection.closed
  await leave()
  // A process that is asked to end does not wait for its editor to close the pipe.
  if (input instanceof Readable) input.destroy()
  return exitCodes.done
}

function reading(input: TerminalInput): ReadableStream<Uint8Array> {
  return byteStream((take, end) => {
    input.on('data', (bytes: Uint8Array | string) => take(Buffer.from(bytes as Uint8Array)))
    for (const event of ['end', 'close', 'error']) input.on(event, end)
  })
}

function writing(output: TerminalOutput): WritableStream<Uint8Array> {
  return new WritableStream({
    write: (bytes) => new Promise((written) => void output.write(bytes, () => written())),
  })
}
