import { expect, it } from 'vitest'
import type { BranchFile } from '#shared/contract/views.ts'
import type { MergeStatus } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { joinBoth } from './conflict-text.ts'
import { cleanPaths, preflight, reviewKey } from './review-logic.ts'

const file = (path: string, status: MergeStatus): BranchFile => ({
  path: path as VirtualPath,
  kind: 'modify',
  size: 1,
  added: 1,
  removed: 0,
  binary: false,
  status,
})
const files = [file('/a', 'clean'), file('/b', 'conflict'), file('/c', 'clean'), file('/d', 'mergeable')]

it('says what a merge of everything would meet', () => {
  expect(preflight(files)).toBe('2 clean, 1 needs merge, 1 conflict')
  expect(preflight([])).toBe('This branch changed nothing.')
})

it('merges at once only what needs no decision', () => {
  expect(cleanPaths(files)).toEqual(['/a', '/c'])
})

it('needs Shift for a force', () => {
  expect([reviewKey('F', true), reviewKey('f', false), reviewKey('m', false), reviewKey('Delete', false)]).toEqual([
    'force',
    null,
    'merge',
    'discard',
  ])
})

it('joins both sides: what one side changed is taken, and where both did, ours comes first', () => {
  const base = 'a\nb\nc\nd\ne\n'
  expect(joinBoth(base, 'A\nb\nours\nd\ne\n', 'a\nb\ntheirs\nd\nE\n')).toBe('A\nb\nours\ntheirs\nd\nE\n')
})
