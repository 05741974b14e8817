/**
 * Sizes of tests. On every change a test has its `ci` size. Under `npm run soak` it has the share of its `soak` size
 * that one chunk takes: `COPPICE_SOAK_SHARE`, a number up to 1, which is also what it is without the variable.
 */
export function testSize(ci: number, soak: number): number {
  return isSoak() ? Math.max(1, Math.round(soak * shareIn('COPPICE_SOAK_SHARE', 1))) : ci
}

/** The second run of a test, as another user, draws a fifth of the inputs: the first run has found the other faults. */
const shareAgain = 1 / 5

/** How often a property is checked. Soaking checks twenty times as often by default. */
export function runs(ci: number, soak = ci * 20): { readonly numRuns: number; readonly seed?: number } {
  const seed = givenSeed()
  const numRuns = testSize(isAgain() ? Math.ceil(ci * shareAgain) : ci, soak)
  return { numRuns, ...(seed !== undefined && { seed }) }
}

/** How far apart the tested points of many like ones are: `ci` on every change, further as another user, 1 in a soak. */
export function everyOf(ci: number): number {
  if (isSoak()) return 1
  return isAgain() ? ci / shareAgain : ci
}

/** The seed in `COPPICE_SEED`, which repeats a run. Undefined when there is none. */
export function givenSeed(): number | undefined {
  const text = process.env.COPPICE_SEED
  return text === undefined ? undefined : Number(text)
}

/** Where a chunk begins in a list of `soak` cases that the chunks of a soak share: 0 on every change. */
export function testStart(soak: number): number {
  return isSoak() ? Math.round(soak * shareIn('COPPICE_SOAK_FROM', 0)) : 0
}

/** Milliseconds after which such a test fails; a whole night when soaking. */
export function timeLimit(ci: number): number {
  return isSoak() ? 12 * 60 * 60 * 1000 : ci
}

function isAgain(): boolean {
  return process.env.COPPICE_TESTS_AGAIN === '1'
}

function isSoak(): boolean {
  return process.env.COPPICE_SOAK === '1'
}

function shareIn(name: string, otherwise: number): number {
  return Number(process.env[name] ?? otherwise)
}
