/** A developer's look: smaller projects, and the figures are not kept. */
export const isQuick = process.argv.includes('--quick')

/** The one part of an area that is to be measured again, when another program got in its way. */
export const onlyPart = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length)
