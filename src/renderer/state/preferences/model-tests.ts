import * as z from 'zod/mini'
import { readSaved, type SavedFormat, type SavedStorage, writeSaved } from './saved.ts'

/** How the last test of a profile ended. */
export interface LastTest {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly ok: boolean
}

/** By the name and the address of the profile, because a test of another address says nothing. */
type LastTests = Readonly<Record<string, LastTest>>

const key = 'coppice-model-tests'
const most = 100
const format: SavedFormat<{ readonly tests: LastTests }> = {
  name: 'the last tests of profiles',
  version: 1,
  schema: z.object({ tests: z.record(z.string(), z.object({ at: z.number(), ok: z.boolean() })) }),
}

export function readLastTests(storage: SavedStorage): LastTests {
  const saved = readSaved(storage, key, format)
  return saved.state === 'read' ? saved.value.tests : {}
}

/** Keeps how a test ended, and forgets the oldest of many. */
export function rememberTest(storage: SavedStorage, profile: string, test: LastTest): LastTests {
  const all = Object.entries({ ...readLastTests(storage), [profile]: test }).sort(([, a], [, b]) => b.at - a.at)
  const tests = Object.fromEntries(all.slice(0, most))
  writeSaved(storage, key, format, { tests })
  return tests
}
