import { expect, it } from 'vitest'
import type { ToolCallId } from '../model/ids.ts'
import type { CallEffects } from '../model/outcome.ts'
import type { VirtualPath } from '../model/virtual-path.ts'
import { draftOf } from './approval-choices.ts'
import { grantableHosts, type HeldRequest, heldDecision, heldFiles } from './held-choices.ts'

const path = (text: string): VirtualPath => text as VirtualPath

const effects: CallEffects = {
  exit_code: 0,
  output: 'done',
  changes: {
    written: [path('/b.ts'), path('/new.ts')],
    deleted: [path('/a.ts'), path('/old.ts')],
    renamed: [{ from: path('/old.ts'), to: path('/new.ts') }],
  },
  hosts_refused: ['a.example', 'a.example', 'b.example:443', '???'],
  duration_ms: 10,
  ignored_changes: 0,
  secrets: [],
}
const request: HeldRequest = {
  ...{ callId: 'c' as ToolCallId, name: 'execute', args: { command: 'npm test', timeout: 60 } },
  ...{ description: '', rule: '', risk: 'low', effects },
}
const again = { type: 'edit', callId: 'c', args: request.args, hold: true }

it('lists each changed file once, a rename by its new path', () => {
  expect(heldFiles(effects).map(({ kind, path: at }) => `${kind} ${at}`)).toEqual([
    'deleted /a.ts',
    'written /b.ts',
    'renamed /new.ts',
  ])
})

it('keeps all of a run, or some of its files with both paths of a rename', () => {
  expect(heldDecision(request, null)).toEqual({ type: 'approve', callId: 'c' })
  expect(heldDecision(request, null, { kept: [path('/new.ts')], message: ' good ' })).toEqual({
    ...{ type: 'approve', callId: 'c', message: 'good' },
    paths: ['/old.ts', '/new.ts'],
  })
  expect(heldDecision(request, null, { kept: heldFiles(effects).map((file) => file.path) })).toEqual({
    ...{ type: 'approve', callId: 'c' },
  })
})

it('does not keep a part without a file', () => {
  expect(heldDecision(request, null, { kept: [] })).toBeNull()
  expect(heldDecision(request, null, { kept: [path('/elsewhere')] })).toBeNull()
})

it('runs again, and shows again, what a person edited or gave a host', () => {
  expect(heldDecision(request, { ...draftOf(request), text: 'npm run lint' })).toEqual({
    ...again,
    args: { command: 'npm run lint', timeout: 60 },
  })
  expect(heldDecision(request, draftOf(request))).toEqual(again)
  expect(heldDecision(request, null, { granted: ['a.example'] })).toEqual({ ...again, hosts: ['a.example'] })
})

it('offers only hosts that can be granted', () => {
  expect(grantableHosts(effects)).toEqual(['a.example', 'b.example:443'])
})
