/** A developer's look: smaller projects, and the figures are not kept. */
export const isQuick = process.argv.includes('--quick')
