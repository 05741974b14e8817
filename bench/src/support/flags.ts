/** A quick look for developers: projects are smaller, and the figures are not kept. */
export const isQuick = process.argv.includes('--quick')

/** The one part of an area to measure again, for example after another program disturbed it. */
export const onlyPart = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length)

/** An older checkout with a built app, which the parts that can do it measure in the same run. */
export const besideFolder = process.argv.find((argument) => argument.startsWith('--beside='))?.slice('--beside='.length)
