/** The size of a test: `ci` on every change, `soak` under `npm run soak`. */
export function testSize(ci: number, soak: number): number {
  return process.env.COPPICE_SOAK === '1' ? soak : ci
}

/** How often a property is checked. Soaking checks twenty times as often by default. */
export function runs(ci: number, soak = ci * 20): { readonly numRuns: number } {
  return { numRuns: testSize(ci, soak) }
}

/** Milliseconds after which such a test fails; a whole night when soaking. */
export function timeLimit(ci: number): number {
  return testSize(ci, 12 * 60 * 60 * 1000)
}
