import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lastingVariable } from '#shared/model/setup.ts'
import { linesOf, variablesIn } from './variable-lines.ts'

const name = fc.stringMatching(/^[A-Z_]\w{0,9}$/).filter((one) => lastingVariable(one, ''))

it('says the same after it was written and read', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        name,
        fc.string().filter((one) => !one.includes('\0')),
        { noNullPrototype: true },
      ),
      (all) => {
        expect(variablesIn(linesOf(all))).toEqual({ variables: all })
      },
    ),
  )
})

it('names the first line that is no variable, and those that Coppice sets itself', () => {
  expect(variablesIn('A=1\n\n B =2\n')).toEqual({ variables: { A: '1', B: '2' } })
  for (const line of ['A', '1A=x', 'PATH=/x', 'https_proxy=x', 'COPPICE_TALK=x', 'HOME=/', `A=${'x'.repeat(5000)}`])
    expect(variablesIn(`OK=1\n${line}`)).toEqual({ problem: line })
})
