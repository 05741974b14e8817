/** What tests of code around the overlay share with its own: trees in memory, contracts of the ports, sizes of laws. */
export { openBranches, type TestBranch } from './merge/merge-world.testkit.ts'
export { describeFileTree } from './ports/file-tree.contract.ts'
export { createMemoryTree } from './ports/file-tree.testkit.ts'
export { describeHashing } from './ports/hashing.contract.ts'
export { processorTime } from './ports/processor-time.testkit.ts'
export { everyOf, isQuick, repeats, runs, testSeed, testSize, testStart, timeLimit } from './ports/test-size.testkit.ts'
export { anyText, applyHunks, describeTextMerge } from './ports/text-merge.contract.ts'
export { at, bytes, openWorld, testHashing, testTextMerge, text, type World } from './tree/tree-fixtures.testkit.ts'
