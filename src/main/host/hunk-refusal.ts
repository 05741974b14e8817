import type { HunkRefusal } from '#core/branches/merge/hunks.ts'
import type { Result } from '#shared/base/result.ts'
import { WireError } from '#shared/contract/wire-errors.ts'

/** What a choice of hunks came to; its refusals in the words of the wire. */
export function chosenHunks<Value>(result: Result<Value, HunkRefusal>): Value {
  if (result.ok) return result.value
  switch (result.error) {
    case 'changed':
      throw new WireError('CONFLICT', 'This file changed since it was shown. Look at it and choose again.')
    case 'missing':
      throw new WireError('BAD_REQUEST', 'There is no such hunk in this file.')
  }
}
