/** A quick look for developers: projects are smaller, and the figures are not kept. */
export const isQuick = process.argv.includes('--quick')

/** The one part of an area to measure again, for example after another program disturbed it. */
export const onlyPart = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length)
