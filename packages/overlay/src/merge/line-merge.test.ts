import { describeTextMerge } from '../ports/text-merge.contract.ts'
import { lineMerge } from './line-merge.ts'

describeTextMerge('lines without a limit of time', () => ({
  textMerge: lineMerge,
  [Symbol.asyncDispose]: async () => undefined,
}))
