import { nodeDeflate, nodeHashing } from './node.ts'
import { describeHashing } from './ports/hashing.contract.ts'

describeHashing('node:crypto and zlib', () => ({ ...nodeHashing, ...nodeDeflate }))
