import { expect, it } from 'vitest'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { branchRows } from './rows.ts'

const branch = (id: string, parentId: string | null) => ({ id, parentId }) as unknown as Branch
const branches = [branch('root', null), branch('a', 'root'), branch('b', 'root'), branch('a1', 'a')]
const listRows = (...folded: string[]) =>
  branchRows(branches, new Set(folded as BranchId[])).map(
    ({ branch: { id }, level, children, position, siblings }) => `${id} ${level} ${children} ${position}/${siblings}`,
  )

it('lists branches below the branch they were forked from', () => {
  expect(listRows()).toEqual(['root 1 2 1/1', 'a 2 1 1/2', 'a1 3 0 1/1', 'b 2 0 2/2'])
})
it('leaves out branches below a folded one', () => {
  expect(listRows('a')).toEqual(['root 1 2 1/1', 'a 2 1 1/2', 'b 2 0 2/2'])
})
