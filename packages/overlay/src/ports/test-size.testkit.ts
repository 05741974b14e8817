/**
 * The size of a test that is about a size: `ci`, but under `npm run soak` the share of `soak` that one chunk takes:
 * `COPPICE_SOAK_SHARE`, a number up to 1, which is also what it is without the variable.
 */
export function testSize(ci: number, soak: number): number {
  return isSoak() ? Math.max(1, Math.round(soak * shareIn('COPPICE_SOAK_SHARE', 1))) : ci
}

/** On every change a law is tried with a fifth of the inputs that it gets each night (`COPPICE_TEST_SIZE=full`). */
const quickShare = 1 / 5

/**
 * How often something is repeated with other inputs: a fifth of `night` on every change, `night` each night, and as
 * `testSize` says in a soak.
 */
export function repeats(night: number, soak: number): number {
  return testSize(isQuick() ? Math.ceil(night * quickShare) : night, soak)
}

/** How often a property is checked. Soaking checks twenty times as often as a night by default. */
export function runs(night: number, soak = night * 20): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: repeats(night, soak), seed: testSeed() }
}

/** How far apart the tested points of many like ones are: 1 in a soak, `night` each night, further on every change. */
export function everyOf(night: number): number {
  if (isSoak()) return 1
  return isQuick() ? night / quickShare : night
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

/** True on every change. Tests that say nothing new beside quicker ones run at night alone: `it.skipIf(isQuick())`. */
export function isQuick(): boolean {
  return !isSoak() && process.env.COPPICE_TEST_SIZE !== 'full'
}

function isSoak(): boolean {
  return process.env.COPPICE_SOAK === '1'
}

function shareIn(name: string, otherwise: number): number {
  return Number(process.env[name] ?? otherwise)
}
