/** How much a test tries: `ci` on every change, `soak` under `npm run soak`. Figures, never adjectives. */
export function testSize(ci: number, soak: number): number {
  return process.env.COPPICE_SOAK === '1' ? soak : ci
}

/** How often a property is tried; soaking tries twenty times as often unless told. */
export function runs(ci: number, soak = ci * 20): { readonly numRuns: number } {
  return { numRuns: testSize(ci, soak) }
}

/** Milliseconds after which such a test is given up: a night when it soaks. */
export function timeLimit(ci: number): number {
  return testSize(ci, 12 * 60 * 60 * 1000)
}
