import { expect, it } from 'vitest'
import type { CompositionRow } from '#shared/contract/views/compositions.ts'
import type { ComposeSegment } from '#shared/model/compose/composition.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import {
  bothOf,
  changeFile,
  choiceFor,
  emptyDraft,
  isOutdated,
  pickHunk,
  picksOf,
  resultOf,
} from './composition-draft.ts'

const row: CompositionRow = {
  path: '/a.txt' as VirtualPath,
  paths: ['/a.txt' as VirtualPath],
  fingerprint: 'one',
  versions: [],
  hunks: 2,
  proposal: { kind: 'hunks', proposals: [{ choice: { from: [0] }, evidence: 'only' }, null] },
}
const segments: readonly ComposeSegment[] = [
  { kind: 'hunk', base: ['a\n'], changes: [{ source: 0, start: 0, end: 1, text: 'A\n' }] },
  { kind: 'same', text: 'b\n' },
  {
    ...{ kind: 'hunk', base: ['c\n', 'd\n'] },
    changes: [
      { source: 0, start: 0, end: 1, text: 'C\n' },
      { source: 1, start: 1, end: 2, text: 'D\n' },
    ],
  },
]

it('takes what evidence speaks for, and is decided once the person chose the rest', () => {
  expect(choiceFor(row, undefined)).toBeNull()
  const draft = changeFile(emptyDraft, row, (file) => pickHunk(file, 1, { from: [0, 1] }))
  expect(choiceFor(row, draft.get(row.path))).toEqual({ kind: 'hunks', picks: [{ from: [0] }, { from: [0, 1] }] })
  expect(resultOf(segments, picksOf(row, draft.get(row.path)))).toEqual({
    text: 'A\nb\nC\nD\n',
    marks: [
      { hunk: 0, from: 0, to: 2 },
      { hunk: 1, from: 4, to: 8 },
    ],
  })
  expect([bothOf(segments, 0), bothOf(segments, 1)]).toEqual([null, [0, 1]])
})

it('keeps what was chosen and typed when a branch moves on, and says so', () => {
  const draft = changeFile(emptyDraft, row, (file) => pickHunk(file, 1, { text: 'typed\n' }))
  const moved = { ...row, fingerprint: 'two' }
  expect([isOutdated(row, draft), isOutdated(moved, draft)]).toEqual([false, true])
  expect(choiceFor(moved, draft.get(row.path))).toMatchObject({ picks: [{ from: [0] }, { text: 'typed\n' }] })
})

it('lets a hunk replace a whole text, and the other way round', () => {
  const whole = changeFile(emptyDraft, row, (file) => ({ ...file, text: 'all\n' }))
  expect(choiceFor(row, whole.get(row.path))).toEqual({ kind: 'text', text: 'all\n' })
  const back = changeFile(whole, row, (file) => pickHunk(file, 1, { from: [] }))
  expect(choiceFor(row, back.get(row.path))).toEqual({ kind: 'hunks', picks: [{ from: [0] }, { from: [] }] })
})
