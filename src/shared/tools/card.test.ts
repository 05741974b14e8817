import { expect, it } from 'vitest'
import type { ActionRequest, Interrupt } from '../model/calls/interrupt.ts'
import type { CallEffects } from '../model/calls/outcome.ts'
import type { ToolCallId } from '../model/ids.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import {
  approval,
  availableActions,
  changedFiles,
  draftOf,
  editsFiles,
  grantableHosts,
  hasFailed,
  rejection,
  type TriedRequest,
} from './card.ts'
import { buttonsOf, changedText, endOf, headerOf, notesAfter, notesBefore, timeOf } from './card-words.ts'

const path = (text: string): VirtualPath => text as VirtualPath
function none(): CallEffects['changes'] {
  return { written: [], deleted: [], renamed: [] }
}

const effects: CallEffects = {
  exit_code: 0,
  output: 'done',
  changes: {
    written: [path('/b.ts'), path('/new.ts')],
    deleted: [path('/y.ts'), path('/old.ts')],
    renamed: [{ from: path('/old.ts'), to: path('/new.ts') }],
  },
  hosts_refused: ['a.example', 'a.example', 'b.example:443', '???'],
  duration_ms: 10,
  ignored_changes: 0,
  secrets: [],
}
const request: TriedRequest = {
  ...{ callId: 'c' as ToolCallId, name: 'execute', args: { command: 'npm test', timeout: 60 } },
  ...{ description: '', rule: '', risk: 'low', effects },
}
/** A change of a file that was tried. */
const edit: TriedRequest = {
  ...request,
  ...{ name: 'write_file', args: { file_path: '/b.ts', content: 'x' } },
  effects: { ...effects, exit_code: null, output: 'Wrote /b.ts.', changes: { ...none(), written: [path('/b.ts')] } },
}
const again = { type: 'edit', callId: 'c', args: request.args, hold: true }

it('lists each changed file once, a rename by its new path, the deleted ones first', () => {
  expect(changedFiles(effects).map(({ kind, path: at }) => `${kind} ${at}`)).toEqual([
    'deleted /y.ts',
    'written /b.ts',
    'renamed /new.ts',
  ])
  const numbered = { ...effects, changes: { ...none(), written: [path('/10.ts'), path('/9.ts')] } }
  expect(changedFiles(numbered).map(({ path: at }) => at)).toEqual(['/9.ts', '/10.ts'])
})

it('keeps all of a run, or some of its files with both paths of a rename', () => {
  expect(approval(request, null)).toEqual({ type: 'approve', callId: 'c' })
  expect(approval(request, null, { kept: [path('/new.ts')], message: ' good ' })).toEqual({
    ...{ type: 'approve', callId: 'c', message: 'good' },
    paths: ['/old.ts', '/new.ts'],
  })
  expect(approval(request, null, { kept: changedFiles(effects).map((file) => file.path) })).toEqual({
    ...{ type: 'approve', callId: 'c' },
  })
})

it('does not keep a part without a file', () => {
  expect(approval(request, null, { kept: [] })).toBeNull()
  expect(approval(request, null, { kept: [path('/elsewhere')] })).toBeNull()
})

it('runs again, and shows again, what a person edited or gave a host', () => {
  expect(approval(request, { ...draftOf(request), text: 'npm run lint' })).toEqual({
    ...again,
    args: { command: 'npm run lint', timeout: 60 },
  })
  expect(approval(request, draftOf(request))).toEqual(again)
  expect(approval(request, null, { granted: ['a.example'] })).toEqual({ ...again, hosts: ['a.example'] })
})

it('offers only hosts that can be granted', () => {
  expect(grantableHosts(effects)).toEqual(['a.example', 'b.example:443'])
})

it('keeps an edited change of files as it is shown, and does not try it again', () => {
  expect(approval(edit, draftOf(edit))).toEqual({ type: 'approve', callId: 'c' })
  const args = { file_path: '/b.ts', content: 'y' }
  const draft = { ...draftOf(edit), text: JSON.stringify(args) }
  expect(approval(edit, draft, { message: 'shorter' })).toEqual({ type: 'edit', callId: 'c', args, message: 'shorter' })
  expect(approval(edit, { ...draft, text: '{' })).toBeNull()
  expect(approval({ ...request, name: 'run_js_code', args: { code: '1' } }, { argument: 'code', text: '2' })).toEqual({
    ...again,
    args: { code: '2' },
  })
})

it('names its buttons by what was done already', () => {
  const asks: ActionRequest = { ...request, effects: undefined }
  const words = (of: ActionRequest, editing = false) => Object.values(buttonsOf(of, editing)).join(' · ')
  expect(words(request)).toBe('Keep · Edit and run again · Drop · Keep some files · Always…')
  expect(words(request, true)).toMatch(/^Run again · /)
  expect(words(edit)).toBe('Keep · Edit · Drop · Keep some files · Always allow…')
  expect(words(edit, true)).toMatch(/^Keep · /)
  expect(words(asks)).toBe('Approve · Edit · Reject · Keep some files · Always allow…')
  expect(headerOf(edit, 'approval')).toBe('wrote a file – look at what it did')
  expect(headerOf({ ...asks, name: 'mcp__a__b' }, 'approval')).toBe('wants to use mcp__a__b')
  expect(rejection(edit, ' no ')).toEqual({ type: 'reject', callId: 'c', message: 'no' })
})

it('offers to keep some files of any call that changed several', () => {
  const interrupt: Interrupt = {
    ...{ id: 'i' as Interrupt['id'], threadId: 't' as Interrupt['threadId'], agent: 'main' },
    ...{ action_requests: [request, edit], review_configs: [] },
  }
  expect(availableActions(interrupt, request, false).has('some')).toBe(true)
  expect(availableActions(interrupt, { ...edit, effects }, false).has('some')).toBe(true)
  expect(availableActions(interrupt, request, true).has('some')).toBe(false)
  expect(availableActions(interrupt, edit, false).has('some')).toBe(false)
  expect(availableActions(interrupt, { ...request, effects: undefined }, false).has('some')).toBe(false)
})

it('knows when a command failed: by its exit code', () => {
  const withEffects = (of: TriedRequest, change: Partial<CallEffects>) => ({
    ...of,
    effects: { ...of.effects, ...change },
  })
  const code = { ...request, name: 'run_js_code', args: { code: '1' } }
  expect([request, edit, code].map(hasFailed)).toEqual([false, false, false])
  expect(hasFailed(withEffects(request, { exit_code: 1 }))).toBe(true)
  expect(hasFailed(withEffects(request, { exit_code: null }))).toBe(true)
  expect(hasFailed(withEffects(edit, { changes: none(), exit_code: null }))).toBe(false)
})

it('says how a command ended, and nothing of the kind for a change of files', () => {
  expect([endOf(request), timeOf(request)]).toEqual(['Exit 0', '10 ms'])
  expect(endOf({ ...request, effects: { ...effects, exit_code: null } })).toBe('Ended by a signal')
  expect([endOf(edit), timeOf(edit)]).toEqual([null, null])
  expect(endOf({ ...edit, effects: { ...edit.effects, changes: none() } })).toBe('Changed no file')
  expect([effects, edit.effects, { ...effects, changes: none() }].map(changedText)).toEqual([
    'Changed 2 files, deleted 1',
    'Changed 1 file',
    'Changed no file',
  ])
  expect(changedText({ ...effects, changes: { ...none(), deleted: [path('/a')] } })).toBe('Deleted 1 file')
})

it('notes what a call built on and what it touched beside its files', () => {
  const touched = {
    ignored_changes: 2,
    tasks: 1,
    secrets: [[0, 1]] as const,
    ran_again: 'It ran again.',
    after: edit.callId,
  }
  const shown = { ...request, callId: 'd' as ToolCallId, effects: { ...effects, ...touched } }
  const interrupt: Interrupt = {
    ...{ id: 'i' as Interrupt['id'], threadId: 't' as Interrupt['threadId'], agent: 'main' },
    ...{ action_requests: [edit, shown], review_configs: [] },
  }
  expect(notesBefore(interrupt, shown).map(({ text }) => text)).toEqual([
    'It ran again.',
    'Builds on the call before: Wrote /b.ts',
  ])
  expect(notesAfter(shown).map(({ about, warns }) => `${about}${warns ? '!' : ''}`)).toEqual([
    ...['environment', 'secret!', 'tasks', 'hosts!'],
  ])
  const commit = { kind: 'commit', repository: path('/'), branch: 'topic', id: '1a2b3c4d', subject: 'Fix it' } as const
  const commits = [commit, { ...commit, kind: 'stash', repository: path('/sub'), branch: 'stash@{0}' } as const]
  expect(notesAfter({ ...request, effects: { ...effects, commits } })[0]).toEqual({
    about: 'commits',
    text: "It left 1 commit and 1 stash in git alone: 1a2b3c4 “Fix it” on topic, 1a2b3c4 “Fix it” on stash@{0} in /sub. Keep keeps them in git of the agent's views. They are in no patch.",
    warns: false,
  })
  expect(notesAfter(edit).map(({ about }) => about)).toEqual(['hosts'])
})

// Mutation: show names as they are, or only those of hooks.
it('names what a command left for later ones, at most twenty, and escapes the names', () => {
  const files = Array.from({ length: 30 }, (_, at) => ({ path: `/dist/${at}`, kind: 'file' as const }))
  const noteOn = (left_behind: CallEffects['left_behind']) =>
    notesAfter({ ...request, effects: { ...effects, hosts_refused: [], ignored_changes: 3, left_behind } })
  const hook = { path: '/.git/hooks/post-commit', kind: 'hook' as const }
  const [note] = noteOn({
    count: 45,
    deleted: 1,
    files: [hook, { path: '~/.bash\u202erc', kind: 'start_file', gone: true }, ...files],
  })
  expect(note).toMatchObject({ about: 'environment', warns: true })
  expect(note?.text).toMatch(
    /^Left for later commands, in no patch: hooks \/\.git\/hooks\/post-commit; start files "~\/\.bash\\u202erc" \(removed\); files \/dist\/0, .* \/dist\/17 and 25 more files\. Keep keeps them\.$/,
  )
  expect(noteOn({ count: 1, deleted: 0, files: files.slice(0, 1) })).toEqual([
    { about: 'environment', text: 'Left for later commands, in no patch: files /dist/0. Keep keeps it.', warns: false },
  ])
})

it('knows the tools whose arguments name what they change', () => {
  const edits = ['write_file', 'edit_file', 'multi_edit', 'move', 'delete']
  const others = ['execute', 'run_js_code', 'run_python_file', 'merge_subagent', 'mcp__files__write', 'ask_user']
  expect([...edits, ...others].filter((name) => editsFiles({ name }))).toEqual(edits)
})
