import { describe, expect, it } from 'vitest'
import type { BranchFile } from '#shared/contract/views/branches.ts'
import type { MergeStatus } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { conflictParts, joinParts } from './conflict/conflict-text.ts'
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

it('says what merging everything would find', () => {
  expect(preflight(files)).toBe('2 clean, 1 needs merge, 1 conflict')
  expect(preflight([])).toBe('This branch changed nothing.')
})

it('merges at once only the files that need no decision', () => {
  expect(cleanPaths(files)).toEqual(['/a', '/c'])
})

it('requires Shift to force', () => {
  expect([reviewKey('F', true), reviewKey('f', false), reviewKey('m', false), reviewKey('Delete', false)]).toEqual([
    'force',
    null,
    'merge',
    'discard',
  ])
})

describe('a text in conflict', () => {
  const parts = conflictParts('a\nb\nc\nd\ne\n', 'A\nb\nours\nd\ne\n', 'a\nb\ntheirs\nd\nE\n')

  it('merges lines that one side changed, and leaves open lines that both changed', () => {
    expect(parts.filter(({ kind }) => kind === 'open')).toEqual([
      { kind: 'open', base: ['c'], ours: ['ours'], theirs: ['theirs'] },
    ])
  })

  it('is resolved by one choice for each open part', () => {
    expect(joinParts(parts, ['ours'])).toBe('A\nb\nours\nd\nE\n')
    expect(joinParts(parts, ['theirs'])).toBe('A\nb\ntheirs\nd\nE\n')
    expect(joinParts(parts, ['both'])).toBe('A\nb\nours\ntheirs\nd\nE\n')
  })
})
