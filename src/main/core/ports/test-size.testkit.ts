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
export function runs(ci: number, soak = ci * 20): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: testSize(isAgain() ? Math.ceil(ci * shareAgain) : ci, soak), seed: testSeed() }
}

/** How far apart the tested points of many like ones are: `ci` on every change, further as another user, 1 in a soak. */
export function everyOf(ci: number): number {
  if (isSoak()) return 1
  return isAgain() ? ci / shareAgain : ci
}

/**
 * The seed of everything that tests draw: the one in `COPPICE_SEED`, else always the same, so that a change is not
 * refused for an input that has nothing to do with it. The soak draws others.
 */
export function testSeed(): number {
  return Number(process.env.COPPICE_SEED ?? 20_261_123)
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
