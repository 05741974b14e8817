import { expect, it } from 'vitest'
import type { ImportItem } from '#shared/contract/views/imports.ts'
import { chosenOf, decide, decideAll } from './import-choice.ts'

const item = (id: string, more: Partial<ImportItem> = {}): ImportItem => ({
  ...{ id, tool: 'cursor', kind: 'command', name: id, scope: 'home', source: `~/${id}`, target: id, preview: 'x' },
  ...{ before: null, state: 'new', safe: true, notes: [] },
  ...more,
})
const items = [
  item('a'),
  item('b', { safe: false }),
  item('rival', { target: 'a', safe: false }),
  item('mine', { state: 'differs', safe: false }),
  item('left', { state: 'left_out', safe: false }),
]

it('chooses what is safe, and of two that would be the same thing the one that was chosen last', () => {
  expect(chosenOf(items, new Map())).toEqual(['a'])
  const [, , rival = item('')] = items
  expect(chosenOf(items, decide(items, new Map(), rival, true))).toEqual(['rival'])
  expect(chosenOf(items, decide(items, new Map(), item('a'), false))).toEqual([])
})

it('chooses all that is new, but nothing that would replace something, or none', () => {
  expect(chosenOf(items, decideAll(items, true))).toEqual(['a', 'b'])
  expect(chosenOf(items, decideAll(items, false))).toEqual([])
})
