import { describeHashing } from '#core/ports/hashing.contract.ts'
import { nodeDeflate, nodeHashing } from './node-hashing.ts'

describeHashing('node:crypto and zlib', () => ({ ...nodeHashing, ...nodeDeflate }))
