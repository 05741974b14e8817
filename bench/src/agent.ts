import { batchRows } from './agent/batch-rows.ts'
import { loopRows } from './agent/loop-rows.ts'
import { manyRows } from './agent/many-rows.ts'
import { prefixRows } from './agent/prefix.ts'
import { replyRows } from './agent/replies.ts'
import { measureParts } from './support/measure-parts.ts'

// Goals 10, 11 and 19: the cost of batches, of the loop and of repeated input. The model answers at once from memory,
// and every commit is on disk.
await measureParts('agent', {
  loop: loopRows,
  batches: batchRows,
  many: manyRows,
  prefix: prefixRows,
  replies: replyRows,
})
