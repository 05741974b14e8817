import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { byTask, type Call } from '../../e2e/model-server/scenario.ts'
import { environment } from '../../e2e/support/coppice.ts'
import { world } from './editor.testkit.ts'

/** What an editor of today sends, message by message, and what it must get before it goes on. */
const recorded = readFileSync(join(import.meta.dirname, 'zed-session.jsonl'), 'utf8')
  .trim()
  .split('\n')
const program = join(import.meta.dirname, '../../src/main/cli/index.ts')

interface Step {
  readonly send?: object
  /** A part of a message that comes; others may come before it. */
  readonly expect?: { readonly id?: number }
  /** The result for the last request that came, of whatever kind. */
  readonly answer?: object
}
type Message = { readonly id?: number; readonly method?: string; readonly result?: { readonly sessionId?: string } }

const edit = (id: string, from: string, to: string): Call => ({
  ...{ name: 'edit_file', id, input: { file_path: '/a.txt', old_string: from, new_string: to } },
})

// Mutation: print anything else to standard output in `acp.ts`, or leave `input.destroy()` out of it.
it('a recorded session of an editor, with the real program: every line is a message, and the end leaves nothing', async () => {
  const place = await world(
    byTask({
      Change: [
        { text: 'I change it.', calls: [edit('e1', 'one', 'two')] },
        { text: 'Done.' },
        { calls: [edit('e2', 'two', 'three')] },
      ],
    }),
  )
  const child = spawn(process.execPath, [program, 'acp', '--data-dir', place.data], { env: environment(place.key) })
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const got: Message[] = []
  let sessionId = ''
  const filled = (text: string): Step =>
    JSON.parse(
      text
        .replaceAll('{URL}', pathToFileURL(place.folder).href)
        .replaceAll('{FOLDER}', inJson(place.folder))
        .replaceAll('{SESSION}', sessionId),
    ) as Step
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`)
  const next = async (): Promise<Message> => {
    const { value, done } = await lines.next()
    if (done) throw new Error('The program ended.')
    const message = JSON.parse(value) as Message
    expect(message).toMatchObject({ jsonrpc: '2.0' })
    sessionId = message.result?.sessionId ?? sessionId
    got.push(message)
    return message
  }
  for (const text of recorded) {
    const step = filled(text)
    if (step.send) send(step.send)
    if (step.answer)
      send({
        jsonrpc: '2.0',
        id: got.findLast(({ id, method }) => id !== undefined && method !== undefined)?.id,
        result: step.answer,
      })
    while (step.expect) {
      const message = await next()
      if (matches(message, filled(text).expect)) break
      // An answer that is not the expected one comes never again.
      if (step.expect.id !== undefined && message.id === step.expect.id && message.method === undefined)
        expect(message).toMatchObject(step.expect)
    }
  }
  const [first] = place.server.requests
  const asked = JSON.stringify(first?.messages)
  expect(asked).toContain('Change @/a.txt as in @/b.txt (line 1 to 2)')
  expect(asked).toMatch(/Input data is in \/inputs\/b\.txt/)
  // Windows has no such signal.
  if (process.platform === 'win32') child.stdin.end()
  else child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(readFileSync(join(place.folder, 'a.txt'), 'utf8')).toBe('one\n')
})

/** A text as it stands between the quotes of JSON. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Whether a message has all that a part of one has. */
function matches(value: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return value === part
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(part).every(([key, inner]) => matches((value as Record<string, unknown>)[key], inner))
}
