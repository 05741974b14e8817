import { join } from 'node:path'
import { nodeHashing } from '../../../packages/overlay/src/node.ts'
import { systemClock } from '../../../src/main/adapters/clock/system-clock.ts'
import { openProjectDatabase } from '../../../src/main/adapters/sqlite/project-database.ts'
import { isNonEmpty } from '../../../src/shared/base/non-empty.ts'
import { wordsOf } from '../../../src/shared/model/derived/searched-text.ts'
import type { EntryDraft } from '../../../src/shared/model/entry.ts'
import type { MessageId, ThreadId } from '../../../src/shared/model/ids.ts'
import { isQuick } from '../support/flags.ts'
import { temporaryFolder } from '../support/folders.ts'
import { figuresOf, summarise, timed } from '../support/measure.ts'
import type { Row } from '../support/report.ts'
import { proseOf } from './prose.ts'

const messages = isQuick ? 50_000 : 1_000_000
const atOnce = 2_000
const messageBytes = 160

/** The time of a search over everything that was said in a project. */
export async function searchingRows(): Promise<readonly Row[]> {
  using folder = temporaryFolder()
  const file = join(folder.path, 'project.db')
  using database = openProjectDatabase({ file, clock: systemClock, hashing: nodeHashing })
  for (let from = 0; from < messages; from += atOnce) {
    const drafts = Array.from({ length: atOnce }, (_, at) => messageOf(from + at))
    if (isNonEmpty(drafts)) database.journal.append(drafts)
  }
  const rare = `needle${Math.floor(messages / 2)}`
  const common = proseOf(1, 400)
    .split(/[ .]+/)
    .filter((word) => word.length > 3)
  const queries: readonly (readonly [string, string])[] = [
    ['a word of one message', rare],
    ['a common word', common[0] ?? ''],
    ['three common words', common.slice(0, 3).join(' ')],
    ['the beginning of a word', (common[1] ?? '').slice(0, 3)],
  ]
  const rows: Row[] = []
  for (const [name, query] of queries) {
    const words = wordsOf(query)
    const find = () => database.journal.find({ place: 'messages', words, limit: 50 })
    if (find().length === 0) throw new Error(`Nothing was found for ${query}`)
    rows.push({
      operation: `search of ${messages.toLocaleString('en')} messages: ${name}`,
      unit: 'ms',
      coppice: summarise(await figuresOf(() => timed(find))),
      goal: { text: '≤ 50 ms', limit: 50 },
    })
  }
  return rows
}

function messageOf(number: number): EntryDraft {
  const content = [{ type: 'text', text: `${proseOf(number, messageBytes)} needle${number}` }] as const
  const message = { role: 'user', messageId: `message-${number}` as MessageId, origin: 'person', content } as const
  return { type: 'message', threadId: `thread-${number % 100}` as ThreadId, message }
}
