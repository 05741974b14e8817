import { expect, it } from 'vitest'
import { errorKind } from './error-kind.ts'

it('recognises a lack of credit, and an older end by its reason', () => {
  expect(errorKind('bad_request', 'model_error', 'Your credit balance is too low.')).toBe('credit')
  expect(errorKind('bad_request', 'model_error', 'tools.0: wrong')).toBe('request')
  expect(errorKind(null, 'context_window_exceeded', '')).toBe('long')
  expect(errorKind(null, 'internal_error', '')).toBe('other')
})
