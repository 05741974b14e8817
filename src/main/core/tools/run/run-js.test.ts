import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMemoryBlobStore, emptyTree, type OverlayTransaction, writeText as writeFormed } from '#overlay'
import { testHashing } from '#overlay/testkit'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { PermissionRules } from '#shared/model/settings.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type CodeRunner, defaultRunnerLimits, type JavaScriptRun, type RunnerFiles } from '../../ports/code-runner.ts'
import { openFileTools } from '../files/files-world.testkit.ts'
import { writeText } from '../namespace/write-text.ts'
import type { ToolContext } from '../tool.ts'
import { createRunJsCodeTool } from './run-js.ts'

/** The result of code that does one thing to its files. */
async function codeOver(
  act: (files: RunnerFiles, tree: OverlayTransaction) => Promise<unknown>,
  rules: Partial<PermissionRules> = {},
  any: Uint8Array = new Uint8Array(),
) {
  const { access, draft } = await openFileTools(
    { '/.env': 'KEY=canary\n', '/a.txt': 'plain', '/own/b': 'b', '/crlf': '\ufeffa\r\nb\r\n', '/any': any },
    rules,
  )
  const tree = draft(emptyTree)
  const runner: CodeRunner = {
    run: async (request) => ({
      outcome: {
        ok: true,
        value: (await act((request as JavaScriptRun).files, tree)) as string,
        stdout: '',
        stderr: '',
        error: null,
        duration_ms: 0,
      },
      declared: [],
    }),
  }
  const files = Object.assign(tree, { writeText: writeText.bind(null, tree) })
  const context = { callId: 'c' as ToolCallId, files, access, signal: new AbortController().signal }
  const states = { current: () => null, blobs: createMemoryBlobStore(testHashing) }
  return createRunJsCodeTool({
    runner,
    limits: () => defaultRunnerLimits,
    states,
    declares: false,
    rounds: () => [],
  }).run({ code: 'x', reset: false }, context as unknown as ToolContext)
}

it.each(['/.env', '/keys/../.env', '.env/'])('code cannot read %s, which read_file would ask for', async (path) => {
  expect(await codeOver((files) => files.read('/a.txt'))).toMatchObject({ ok: true })
  await expect(codeOver((files) => files.read(path))).rejects.toThrow(
    '/.env is protected by a rule or may hold secrets',
  )
})

it.each([
  ['read', { deny: ['Read(own/**)'] }],
  ['read', { ask: ['read_file(own/**)'] }],
  ['write', { deny: ['Edit(own/**)'] }],
  ['delete', { ask: ['Write(own/**)'] }],
] as const)('code cannot %s what %j protects from the tools', async (verb, rules) => {
  const act = { read: codeReads, write: codeWrites, delete: codeDeletes }[verb]
  await expect(codeOver(act, { ...rules } as Partial<PermissionRules>)).rejects.toThrow(`code cannot ${verb} it`)
  expect(await codeOver(act)).toMatchObject({ ok: true })
})

const codeReads = (files: RunnerFiles) => files.read('/own/b')
const codeWrites = (files: RunnerFiles) => files.write('/own/c', 'x')
const codeDeletes = (files: RunnerFiles) => files.delete('/own/b')

it('code changes a part of a file and keeps its line ends and byte-order mark', async () => {
  const read: string[] = []
  await codeOver(async (files) => {
    read.push(await files.read('/crlf'))
    await files.write('/crlf', 'a\nb\nc\n')
    read.push(await files.read('/crlf'))
  })
  expect(read).toEqual(['a\r\nb\r\n', 'a\r\nb\r\nc\r\n'])
})

const whole = fc.stringMatching(/^[ab é日\r\n]{0,8}$/).filter((text) => text !== '')
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 12 }),
  fc
    .tuple(whole, fc.constantFrom('utf-8', 'utf-16le', 'utf-16be'), fc.boolean())
    .map(([text, encoding, isMarked]) =>
      writeFormed({ encoding: encoding as 'utf-8', text: isMarked || encoding !== 'utf-8' ? `\ufeff${text}` : text }),
    ),
)

// Mutation: decode as UTF-8 alone in `read`, or take U+FFFD for a file that is no text in `rewriteText`.
it('what code reads and writes back is the same bytes, or refused, whatever the file holds', async () => {
  const property = fc.asyncProperty(anyBytes, async (bytes) => {
    const [after, text, refused] = await readAndWrite(bytes)
    if (refused === null) expect(Buffer.from(after ?? [])).toEqual(Buffer.from(bytes))
    else expect(text).toContain('\ufffd')
  })
  await fc.assert(property, { numRuns: 200 })
})

it('code reads UTF-16 as its text', async () => {
  const wide = writeFormed({ encoding: 'utf-16le', text: '\ufeffé\r\nb' })
  expect(await readAndWrite(wide)).toEqual([wide, 'é\r\nb', null])
})

/** The bytes after code has read a file and written it back, what it read, and why the write was refused. */
async function readAndWrite(bytes: Uint8Array) {
  let [text, refused]: [string, string | null] = ['', null]
  let after: Uint8Array | undefined
  await codeOver(
    async (files, tree) => {
      text = await files.read('/any')
      await files.write('/any', text).catch((error: Error) => {
        refused = error.message
      })
      after = await tree.read('/any' as VirtualPath)
    },
    {},
    bytes,
  )
  return [after, text, refused] as const
}
