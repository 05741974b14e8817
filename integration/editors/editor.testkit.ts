import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { expect, onTestFinished } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import type { Scenario } from '../../e2e/model-server/scenario.ts'
import { environment } from '../../e2e/support/coppice.ts'
import { runLine } from '../../src/main/cli/run-line.ts'
import { atTerminal, ownTerminal } from '../../src/main/cli/screen/terminal.ts'
import { openTestHost } from '../../src/main/host/testing/test-host.testkit.ts'

/** What a person answers to a request for permission: the id of an option, or null to close it. */
export type Answering = (request: RequestPermissionRequest) => string | null | Promise<string | null>

/** A verb of this process that another program talks to on its standard streams. */
export interface Program {
  /** Bytes to it. */
  readonly input: PassThrough
  /** Bytes from it. */
  readonly output: PassThrough
  readonly errors: () => string
  readonly stop: () => void
  /** Its exit code. */
  readonly ended: Promise<number>
}

/** Runs a verb with everything real except the terminal. */
export function startProgram(args: readonly string[], extra: Readonly<Record<string, string>>): Program {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const listeners = new Set<() => void>()
  const stop = (): void => {
    for (const listener of [...listeners]) listener()
  }
  let errors = ''
  const place = {
    ...ownTerminal(runLine),
    ...{ input, output, stop, environment: environment(extra) },
    errors: new Writable({
      write(bytes: Buffer, _encoding, taken) {
        errors += bytes.toString()
        taken()
      },
    }),
    onStop(listener: () => void) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    leave: (code: number): never => {
      throw new Error(`The command line left with ${code}.`)
    },
  }
  const ended = atTerminal(place, () => runLine(args))
  return { input, output, stop, ended, errors: () => errors }
}

/** A project, its data and a scripted model. All of it is removed when the test has finished. */
export async function world(scenario: Scenario, settings: object = {}, files: Readonly<Record<string, string>> = {}) {
  const server = await startModelServer(scenario)
  const [folder, data] = ['project', 'data'].map((name) => mkdtempSync(join(tmpdir(), `coppice-editor-${name}-`))) as [
    string,
    string,
  ]
  for (const [name, text] of Object.entries({ 'a.txt': 'one\n', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ model: 'scripted', ...settings }))
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]()
    for (const made of [folder, data]) rmSync(made, { recursive: true, force: true })
  })
  return { server, folder, data, key: { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url } }
}
export type World = Awaited<ReturnType<typeof world>>

/** Resolves when no process has the project open: a window can open it. */
export async function untilFree({ data, folder }: Pick<World, 'data' | 'folder'>): Promise<void> {
  await using host = await openTestHost(data)
  await expect
    .poll(() =>
      host.projects.open(folder).then(
        () => 'free',
        (error: Error) => error.message,
      ),
    )
    .toBe('free')
}

/** An editor that works with Coppice: the client of the protocol's own library. */
export interface Editor extends Program {
  readonly agent: ClientContext
  readonly updates: SessionUpdate[]
  readonly asked: RequestPermissionRequest[]
  /** What the agent said since the last time. */
  text(): string
}

export async function openEditor(
  { data, key }: Pick<World, 'data' | 'key'>,
  answer: Answering = () => null,
  /** Texts that are not saved, by their paths. */
  buffers: Readonly<Record<string, string>> = {},
): Promise<Editor> {
  const program = startProgram(['acp', '--data-dir', data], key)
  const updates: SessionUpdate[] = []
  const asked: RequestPermissionRequest[] = []
  const stream = ndJsonStream(
    Writable.toWeb(program.input) as WritableStream<Uint8Array>,
    Readable.toWeb(program.output) as unknown as ReadableStream<Uint8Array>,
  )
  const connection = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(
      methods.client.session.requestPermission,
      async ({ params, signal }): Promise<RequestPermissionResponse> => {
        asked.push(params)
        const cancelled = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)))
        const optionId = await Promise.race([answer(params), cancelled])
        return { outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } }
      },
    )
    .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => ({
      content: buffers[path] ?? readFileSync(path, 'utf8'),
    }))
    .connect(stream)
  onTestFinished(async () => {
    connection.close()
    program.input.end()
    await program.ended
  })
  await connection.agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    clientInfo: { name: 'editor', version: '1' },
  })
  let from = 0
  return {
    ...program,
    ...{ updates, asked, agent: connection.agent },
    text() {
      const said = updates
        .slice(from)
        .map((update) =>
          update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '',
        )
      from = updates.length
      return said.join('')
    },
  }
}
