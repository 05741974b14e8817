import type { MessageId } from '#shared/model/ids.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { noticeEntry } from '../../journal/notices.ts'
import type { LoopSteps } from '../calls/call-context.ts'
import type { LoopContext } from '../types/loop-context.ts'

/**
 * Tells the agent the instructions of a folder once, when it first reads or changes a file below it. The root's
 * instructions are in its prompt.
 */
export async function* injectInstructionsNotice(context: LoopContext, seen: Set<string>): LoopSteps {
  const { contentHashes: reads, instructed } = context.thread()
  const fresh = [...reads.keys()].filter((path) => !seen.has(path))
  for (const path of fresh) seen.add(path)
  const found = (await Promise.all(fresh.map((path) => context.instructionsAt(path)))).flat()
  const files = new Map(found.map((one) => [one.file, one]))
  const untold = [...files.values()].filter(({ file }) => !instructed.includes(file))
  if (untold.length === 0) return
  const texts = untold.map(
    ({ file, text }) => `Instructions for what lies below this folder (${shownName(file)}):\n\n${text.trim()}`,
  )
  yield [
    { type: 'instructions.told', files: untold.map(({ file }) => file) },
    noticeEntry(context.nextId() as MessageId, texts.join('\n\n')),
  ]
}
