/** How large tests are that are about a size. The laws of the overlay are tried by the same numbers. */
export { everyOf, isQuick, repeats, runs, testSeed, testSize, testStart, timeLimit } from '#overlay/testkit'
