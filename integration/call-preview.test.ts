import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FileDiff } from '#shared/contract/views/files.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { textOf } from '#shared/model/message.ts'
import { byTask } from '../e2e/model-server/scenario.ts'
import { previewWaitingCall } from '../src/main/host/threads/preview-call.ts'
import { openWorld } from './world.testkit.ts'

const callId = 'call' as ToolCallId

/** One call that waits for a person, in a project with the given files. */
async function waitingCall(
  name: string,
  input: object,
  files: Readonly<Record<string, string>>,
  changeFolder: (folder: string) => void = () => {},
) {
  const scenario = byTask({ main: [{ calls: [{ name, id: 'call', input }] }, { text: 'Done.' }] })
  const world = await openWorld(scenario, { files, changeFolder })
  const id = await world.run('main', 'ask')
  return {
    ...world,
    id,
    preview: (args?: Readonly<Record<string, string>>) =>
      previewWaitingCall(world.project, { threadId: id, callId, args }),
    async approve() {
      world.decide(id, [{ type: 'approve', callId }])
      await world.project.runtime.whenIdle(id)
    },
  }
}

/** The lines of a comparison with their signs. Line ends are kept. */
function linesOf(files: readonly FileDiff[]): readonly string[] {
  return files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines))
}

function fileLines(before: string, after: string): readonly string[] {
  return [`-${before}`, `+${after}`]
}

describe('the preview of a waiting call', () => {
  it('keeps the line ends of a CRLF file when the edit uses plain ones', async () => {
    const edit = { file_path: '/a.txt', old_string: 'one\ntwo', new_string: 'one\nTWO' }
    const { preview, approve, fileOf, id } = await waitingCall('edit_file', edit, {
      'a.txt': 'one\r\ntwo\r\nthree\r\n',
    })
    const shown = await preview()
    expect(shown).toMatchObject({ kind: 'files', problem: null, files: [{ path: '/a.txt' }] })
    await approve()
    expect(await fileOf(id, '/a.txt')).toBe('one\r\nTWO\r\nthree\r\n')
    const changed = shown.kind === 'files' ? linesOf(shown.files).filter((line) => /^[-+]/.test(line)) : []
    expect(changed.map((line) => line.replace(/\r$/, ''))).toEqual(fileLines('two', 'TWO'))
  })

  it('keeps the BOM of an edited file', async () => {
    const edit = { file_path: '/a.txt', old_string: 'one', new_string: 'ONE' }
    const { preview, approve, fileOf, id } = await waitingCall('edit_file', edit, { 'a.txt': '\uFEFFone\ntwo\n' })
    const shown = await preview()
    const added = shown.kind === 'files' ? linesOf(shown.files).find((line) => line.startsWith('+')) : undefined
    await approve()
    const tree = await fileOf(id, '/a.txt')
    expect(tree.endsWith('ONE\ntwo\n')).toBe(true)
    expect(added?.slice(1)).toBe('\uFEFFONE')
  })

  it.each([
    ['occurs twice', { file_path: '/a.txt', old_string: 'same', new_string: 'x' }, '2 times'],
    ['is absent', { file_path: '/a.txt', old_string: 'none of it', new_string: 'x' }, 'not found'],
    ['is in a file that does not exist', { file_path: '/b.txt', old_string: 'a', new_string: 'x' }, 'There is no file'],
  ])('is not needed if an edit fails because its text %s: the agent reads why at once', async (_, edit, problem) => {
    const { thread, fileOf, id } = await waitingCall('edit_file', edit, { 'a.txt': 'same\nsame\n' })
    expect(thread(id).interrupts).toEqual([])
    expect(textOf(resultOf(thread(id).calls.get(callId))?.content ?? [])).toMatch(new RegExp(problem, 'i'))
    expect(await fileOf(id, '/a.txt')).toBe('same\nsame\n')
  })

  it('shows each edit of a multi_edit on the result of the one before', async () => {
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'b', new_string: 'c' },
    ]
    const { preview } = await waitingCall('multi_edit', { file_path: '/a.txt', edits }, { 'a.txt': 'a\n' })
    const shown = await preview()
    expect(shown.kind === 'files' && linesOf(shown.files)).toEqual(['-a', '+c'])
  })

  it('shows a moved file as one rename and a deleted folder file by file', async () => {
    const files = { 'd/a.txt': 'a\n', 'd/b.txt': 'b\n' }
    const moved = await (await waitingCall('move', { from: '/d/a.txt', to: '/c.txt' }, files)).preview()
    expect(moved).toMatchObject({ files: [{ path: '/c.txt', change: { kind: 'rename' } }], problem: null })
    const deleted = await (await waitingCall('delete', { path: '/d' }, files)).preview()
    expect(deleted.kind === 'files' && deleted.files.map(({ path }) => path)).toEqual(['/d/a.txt', '/d/b.txt'])
  })

  it.each([
    ['delete', { path: '/memories/notes' }, ['delete /memories/notes/a.md', 'delete /memories/notes/deep/b.md']],
    [
      'move',
      { from: '/memories/notes', to: '/memories/old' },
      [
        'delete /memories/notes/a.md',
        'delete /memories/notes/deep/b.md',
        'create /memories/old/a.md',
        'create /memories/old/deep/b.md',
      ],
    ],
  ])('shows every memory of a folder: %s', async (name, input, expected) => {
    const notes = ['/memories/notes/a.md', '/memories/notes/deep/b.md']
    const writes = notes.map((file_path) => ({ name: 'write_file', input: { file_path, content: 'noted\n' } }))
    const world = await openWorld(
      byTask({ notes: [{ calls: writes }, { text: 'Noted.' }], main: [{ calls: [{ name, id: 'call', input }] }] }),
    )
    await world.run('notes', 'auto-edit')
    const threadId = await world.run('main', 'ask')
    const shown = await previewWaitingCall(world.project, { threadId, callId, args: undefined })
    const files = shown.kind === 'files' ? shown.files : []
    expect(files.map(({ path, change }) => `${change.kind} ${path}`)).toEqual(expected)
  })

  it('says that a call changes only folders', async () => {
    const { preview } = await waitingCall('delete', { path: '/empty' }, {}, (folder) =>
      mkdirSync(join(folder, 'empty')),
    )
    expect(await preview()).toMatchObject({ kind: 'files', files: [], foldersOnly: true, problem: null })
  })

  it('shows the target of a link that the call writes through', async () => {
    const input = { file_path: '/link.txt', content: 'new\n' }
    const link = (folder: string) => symlinkSync('real.txt', join(folder, 'link.txt'))
    const { preview } = await waitingCall('write_file', input, { 'real.txt': 'old\n' }, link)
    const shown = await preview()
    expect(shown.kind === 'files' && shown.files.map(({ path }) => path)).toEqual(['/real.txt'])
  })

  it('is what will be stored; when the file changed on disk since, the call is shown once more', async () => {
    const input = { file_path: '/a.txt', content: 'new\n' }
    const { preview, folder, approve, thread, fileOf, id } = await waitingCall('write_file', input, {
      'a.txt': 'old\n',
    })
    const lines = async () => {
      const shown = await preview()
      return shown.kind === 'files' && linesOf(shown.files)
    }
    writeFileSync(join(folder, 'a.txt'), 'changed since\n')
    expect(await lines()).toEqual(['-old', '+new'])
    await approve()
    expect(thread(id).interrupts[0]?.action_requests[0]?.effects?.ran_again).toContain('changed on disk')
    expect(await lines()).toEqual(['-changed since', '+new'])
    await approve()
    expect([thread(id).status, await fileOf(id, '/a.txt')]).toEqual(['done', 'new\n'])
  })

  it('shows edited arguments as they would run, and stores nothing', async () => {
    const input = { file_path: '/a.txt', content: 'new\n' }
    const { preview, project, id, fileOf } = await waitingCall('write_file', input, { 'a.txt': 'old\n' })
    const { log } = project.services
    const before = log.state.sequence
    const shown = await preview({ file_path: '/a.txt', content: 'by the person\n' })
    expect(shown.kind === 'files' && linesOf(shown.files)).toEqual(['-old', '+by the person'])
    expect(log.state.sequence).toBe(before)
    expect(await fileOf(id, '/a.txt')).toBe('old\n')
  })

  it('shows only the arguments of a call that reaches beyond the branch', async () => {
    const { preview } = await waitingCall('execute', { command: 'echo one > a.txt' }, {})
    expect(await preview()).toEqual({ kind: 'arguments' })
  })

  it('refuses a call that does not exist', async () => {
    const { project } = await waitingCall('execute', { command: 'ls' }, {})
    const call = { threadId: 'none' as ThreadId, callId, args: undefined }
    await expect(previewWaitingCall(project, call)).rejects.toMatchObject({ code: 'not_found' })
  })
})
