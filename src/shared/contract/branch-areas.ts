import { checkoutCommands } from './checkouts.ts'
import { compositionCommands } from './compositions.ts'

/** What can be made of branches beside merging them: folders that stand for them, and one tree composed of several. */
export const branchAreas = { checkouts: checkoutCommands, compositions: compositionCommands }
