import { expect, it } from 'vitest'
import type { HostServices } from '../agent/types/services.ts'
import type { LogReader } from './project-log.ts'

/** What a look-up in a map gives: nothing where it does not compile. */
type LookUp<Log extends LogReader, Of extends 'threads' | 'branches'> = Log['state'][Of]['get']

// Mutation: give `HostServices` the log of `ProjectServices`, and this file does not compile.
it('around core, a look-up that does not load does not compile, and what is around core can call core', () => {
  const cannot: readonly [
    LookUp<HostServices['log'], 'threads'>,
    LookUp<HostServices['log'], 'branches'>,
  ] extends readonly [never, never]
    ? true
    : false = true
  const can: LookUp<LogReader, 'threads'> extends never ? true : false = false
  const fits: HostServices extends { readonly log: LogReader } ? true : false = true
  expect([cannot, can, fits]).toEqual([true, false, true])
})
