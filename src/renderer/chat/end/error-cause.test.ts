import { expect, it } from 'vitest'
import { errorKind } from '../../state/store/error-kind.ts'
import { actionsFor, addressIn } from './error-cause.ts'

it('offers first what helps against a failure', () => {
  const first = (cause: string, message = '') => actionsFor(errorKind(cause, 'model_error', message))[0]
  expect(first('unauthorized')).toBe('key')
  expect(first('context_window_exceeded')).toBe('compact')
  expect([first('rate_limited'), first('overloaded'), first('cut')]).toEqual(['retry', 'retry', 'retry'])
  expect(first('not_found')).toBe('model')
})

it('finds the address that a message names', () => {
  expect(addressIn('Go to https://x.org/billing?a=b. Thanks (https://y.org)')).toBe('https://x.org/billing?a=b')
  expect(addressIn('none here, http://x.org')).toBeNull()
})
